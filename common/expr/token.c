/* SPDX-License-Identifier: BSD-3-Clause */
/* token.c: split the text of expressions into tokens. */
#include "common/expr/token.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400 };

void cca_cursor_step(struct cca_cursor *cursor, size_t length)
{
    for (; length; length--) {
        cursor->column++;
        if (*cursor->at++ == '\n') {
            cursor->line++;
            cursor->column = 1;
        }
    }
}

void cca_cursor_skip(const struct cca_lexis *lexis, struct cca_cursor *cursor)
{
    int lines = lexis->options & CCA_LEX_LINES;

    while (cursor->at < cursor->end) {
        char c = *cursor->at;

        if (c == '#' && lines) {
            while (cursor->at < cursor->end && *cursor->at != '\n')
                cca_cursor_step(cursor, 1);
        } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && !lines)) {
            cca_cursor_step(cursor, 1);
        } else {
            return;
        }
    }
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True for a character that may begin a name. */
static int is_letter(const struct cca_lexis *lexis, char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           ((c & 0x80) && lexis->options & CCA_LEX_DOTS);
}

static int is_of_name(const struct cca_lexis *lexis, char c)
{
    return is_letter(lexis, c) || is_digit(c) ||
           (c == '.' && lexis->options & CCA_LEX_DOTS);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* Return the end of the decimal number at `at`. */
static const char *skip_decimal(const char *at, const char *end, int *real)
{
    const char *power;

    at = skip_digits(at, end);
    /* in a range such as "1..8" the points are not part of a number */
    if (at < end && *at == '.' && !(end - at > 1 && at[1] == '.')) {
        *real = 1;
        at = skip_digits(at + 1, end);
    }
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    power = at + 1;
    power += power < end && (*power == '+' || *power == '-');
    if (power == end || !is_digit(*power))
        return at;
    *real = 1;
    return skip_digits(power, end);
}

static enum cca_token_fault read_number(const struct cca_lexis *lexis, const char *end,
                                        struct cca_token *token)
{
    const char *at = token->start, *stop;
    int hex = lexis->options & CCA_LEX_HEX && end - at > 2 && at[0] == '0' &&
              (at[1] == 'x' || at[1] == 'X') && isxdigit((unsigned char)at[2]);
    int real = 0;
    char text[LONGEST_NUMBER + 1];

    if (hex)
        for (at += 2; at < end && isxdigit((unsigned char)*at); at++)
            ;
    else
        at = skip_decimal(at, end, &real);
    for (stop = at; lexis->options & CCA_LEX_SEPARATE && stop < end &&
                    (is_of_name(lexis, *stop) || *stop == '.');
         stop++)
        ;
    token->kind = real ? CCA_TOKEN_REAL : CCA_TOKEN_INTEGER;
    token->length = (size_t)(stop - token->start);
    if (stop != at)
        return CCA_TOKEN_NO_NUMBER;
    if (token->length > LONGEST_NUMBER)
        return CCA_TOKEN_LONG;
    memcpy(text, token->start, token->length);
    text[token->length] = '\0';
    token->d = strtod(text, NULL);
    errno = 0;
    if (!real)
        token->i = strtoll(text, NULL, hex ? 16 : 10);
    return errno || isinf(token->d) ? CCA_TOKEN_RANGE : CCA_TOKEN_GOOD;
}

static enum cca_token_fault read_quoted(const struct cca_lexis *lexis, const char *end,
                                        struct cca_token *token)
{
    char quote = *token->start;
    int plain = lexis->options & CCA_LEX_PLAIN;

    token->kind = CCA_TOKEN_STRING;
    for (const char *at = token->start + 1; at < end && (unsigned char)*at >= ' '; at++) {
        if (plain && (*at == '\\' || (unsigned char)*at >= 0x7f))
            break;
        if (*at != quote)
            continue;
        if (lexis->options & CCA_LEX_DOUBLED && end - at > 1 && at[1] == quote) {
            at++;
            continue;
        }
        token->length = (size_t)(at + 1 - token->start);
        if (!plain || quote != '\'')
            return CCA_TOKEN_GOOD;
        token->kind = CCA_TOKEN_CHARACTER;
        token->i = (unsigned char)token->start[1];
        return token->length == 3 ? CCA_TOKEN_GOOD : CCA_TOKEN_CHARACTERS;
    }
    return CCA_TOKEN_OPEN;
}

/* Return the length of the sign (operator or punctuation) at `at`; 0: there is none. */
static size_t sign_length(const struct cca_lexis *lexis, const char *at, const char *end)
{
    for (const char *pair = lexis->pairs; *pair && end - at > 1; pair += 2)
        if (at[0] == pair[0] && at[1] == pair[1])
            return 2;
    return *at && strchr(lexis->singles, *at);
}

static enum cca_token_fault read_token(const struct cca_lexis *lexis, const char *end,
                                       struct cca_token *token)
{
    const char *at = token->start;

    token->length = 1;
    if (*at == '\n') {
        token->kind = CCA_TOKEN_LINE;
        return CCA_TOKEN_GOOD;
    }
    if (is_digit(*at) ||
        (*at == '.' && lexis->options & CCA_LEX_POINT && end - at > 1 && is_digit(at[1])))
        return read_number(lexis, end, token);
    if (*at && strchr(lexis->quotes, *at))
        return read_quoted(lexis, end, token);
    if (is_letter(lexis, *at)) {
        token->kind = CCA_TOKEN_NAME;
        while (at < end && is_of_name(lexis, *at))
            at++;
        token->length = (size_t)(at - token->start);
        return CCA_TOKEN_GOOD;
    }
    token->kind = CCA_TOKEN_SIGN;
    token->length = sign_length(lexis, at, end);
    if (token->length)
        return CCA_TOKEN_GOOD;
    token->length = 1;
    return CCA_TOKEN_STRANGE;
}

enum cca_token_fault cca_token_next(const struct cca_lexis *lexis,
                                    struct cca_cursor *cursor, struct cca_token *token)
{
    enum cca_token_fault fault = CCA_TOKEN_GOOD;

    cca_cursor_skip(lexis, cursor);
    *token = (struct cca_token){
        .start = cursor->at, .line = cursor->line, .column = cursor->column};
    if (cursor->at < cursor->end)
        fault = read_token(lexis, cursor->end, token);
    cca_cursor_step(cursor, token->length);
    return fault;
}

int cca_token_is(const struct cca_token *token, const char *text)
{
    return (token->kind == CCA_TOKEN_NAME || token->kind == CCA_TOKEN_SIGN) &&
           strlen(text) == token->length &&
           memcmp(token->start, text, token->length) == 0;
}
