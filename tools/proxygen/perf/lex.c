/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.c: the lexer of the mark-up language. */
#include "tools/proxygen/perf/lex.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 4, 0))) static int report(const struct pg_lexer *lexer,
                                                        int line, int column,
                                                        const char *format, va_list args)
{
    char text[320];

    if (lexer->source->fixed) {
        line = lexer->source->line;
        column = lexer->source->column;
    }
    vsnprintf(text, sizeof text, format, args);
    return cca_error_set(lexer->err, -EINVAL, "%.150s:%d:%d: error: %s",
                         lexer->source->file, line, column, text);
}

int pg_lex_fail(const struct pg_lexer *lexer, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report(lexer, lexer->token.line, lexer->token.column, format, args);
    va_end(args);
    return -EINVAL;
}

int pg_lex_unexpected(const struct pg_lexer *lexer, const char *what)
{
    return pg_lex_fail(lexer, "%s where %s was expected", pg_lex_show(&lexer->token).text,
                       what);
}

int pg_lex_fail_at(const struct pg_lexer *lexer, const struct pg_token *token,
                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report(lexer, token->line, token->column, format, args);
    va_end(args);
    return -EINVAL;
}

struct pg_shown pg_lex_show(const struct pg_token *token)
{
    struct pg_shown shown;
    size_t length = token->length < 40 ? token->length : 40;
    char word[41];

    if (token->kind == PG_END || token->kind == PG_NEWLINE) {
        snprintf(shown.text, sizeof shown.text, "the end%s",
                 token->kind == PG_NEWLINE ? " of the line" : "");
        return shown;
    }
    /* A control byte must not reach a terminal. */
    for (size_t i = 0; i < length; i++)
        word[i] = token->start[i];
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)word[i] < 0x20 || (unsigned char)word[i] >= 0x7f)
            word[i] = '.';
    word[length] = 0;
    snprintf(shown.text, sizeof shown.text, "'%s'", word);
    return shown;
}

static const char *end_of(const struct pg_lexer *lexer)
{
    return lexer->source->text + lexer->source->length;
}

static void next_character(struct pg_lexer *lexer)
{
    if (*lexer->at == '\n') {
        lexer->line++;
        lexer->column = 1;
    } else {
        lexer->column++;
    }
    lexer->at++;
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skip blanks, comments of a sidecar, and newlines without a meaning. */
static void skip_blanks(struct pg_lexer *lexer)
{
    const char *end = end_of(lexer);

    while (lexer->at < end) {
        char c = *lexer->at;

        if (c == '#' && lexer->source->lines) {
            while (lexer->at < end && *lexer->at != '\n')
                next_character(lexer);
        } else if (c == ' ' || c == '\t' || c == '\r' ||
                   (c == '\n' && !lexer->source->lines)) {
            next_character(lexer);
        } else {
            return;
        }
    }
}

/* A number: decimal, or hexadecimal for integers. The text is copied because the
 * source does not end with a NUL, and because strtod also reads "inf" and "0x1p3". */
static int lex_number(struct pg_lexer *lexer)
{
    struct pg_token *token = &lexer->token;
    const char *end = end_of(lexer), *at = token->start;
    int hexadecimal = end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    char text[64];

    while (at < end && (is_digit(*at) || is_name(*at) || *at == '.' ||
                        (!hexadecimal && (*at == '+' || *at == '-') &&
                         (at[-1] == 'e' || at[-1] == 'E'))))
        at++;
    token->length = (size_t)(at - token->start);
    while (lexer->at < at)
        next_character(lexer);
    if (token->length >= sizeof text)
        return pg_lex_fail(lexer, "a number of %zu characters is too long",
                           token->length);
    memcpy(text, token->start, token->length);
    text[token->length] = 0;

    errno = 0;
    char *rest;
    if (hexadecimal || strspn(text, "0123456789") == token->length) {
        token->kind = PG_INT_NUMBER;
        token->i = strtoll(text, &rest, hexadecimal ? 16 : 10);
    } else {
        token->kind = PG_REAL_NUMBER;
        token->d = strtod(text, &rest);
        if (strspn(text, "0123456789.eE+-") != token->length)
            rest = text;
    }
    if (*rest || rest == text)
        return pg_lex_fail(lexer, "%s is not a number", pg_lex_show(token).text);
    if ((errno == ERANGE && token->kind == PG_INT_NUMBER) || !isfinite(token->d))
        return pg_lex_fail(lexer, "%s is out of range", pg_lex_show(token).text);
    return 0;
}

static int is_quotable(char c, char quote)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f && c != quote && c != '\\';
}

/* 'N' or "text", of plain printable characters, without escapes. */
static int lex_quoted(struct pg_lexer *lexer)
{
    struct pg_token *token = &lexer->token;
    const char *end = end_of(lexer), *at = token->start + 1;
    char quote = *token->start;

    while (at < end && is_quotable(*at, quote))
        at++;
    if (at == end || *at != quote)
        return pg_lex_fail(lexer, "%s has no end, or holds what is no plain character",
                           quote == '"' ? "the string" : "the character");
    token->length = (size_t)(at + 1 - token->start);
    if (quote == '\'' && token->length != 3)
        return pg_lex_fail(lexer, "%s is not one character", pg_lex_show(token).text);
    token->kind = quote == '"' ? PG_STRING : PG_CHARACTER;
    token->i = (unsigned char)token->start[1];
    while (lexer->at <= at)
        next_character(lexer);
    return 0;
}

/* Length of the punctuation at `at`, or 0. */
static size_t punctuation(const char *at, const char *end)
{
    static const char pairs[][3] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (end - at >= 2 && at[0] == pairs[i][0] && at[1] == pairs[i][1])
            return 2;
    return *at && strchr("+-*/%()=;:,{}[].<>!&|?", *at) ? 1 : 0;
}

int pg_lex_next(struct pg_lexer *lexer)
{
    struct pg_token *token = &lexer->token;
    const char *end = end_of(lexer);

    skip_blanks(lexer);
    *token = (struct pg_token){
        .start = lexer->at, .line = lexer->line, .column = lexer->column};
    if (lexer->at == end)
        return 0; /* PG_END */
    token->length = 1;
    if (*lexer->at == '\n') {
        token->kind = PG_NEWLINE;
        next_character(lexer);
    } else if (is_name(*lexer->at)) {
        token->kind = PG_NAME;
        while (lexer->at < end && (is_name(*lexer->at) || is_digit(*lexer->at)))
            next_character(lexer);
        token->length = (size_t)(lexer->at - token->start);
    } else if (is_digit(*lexer->at) ||
               (*lexer->at == '.' && lexer->at + 1 < end && is_digit(lexer->at[1]))) {
        return lex_number(lexer);
    } else if (*lexer->at == '"' || *lexer->at == '\'') {
        token->kind = PG_PUNCT;
        return lex_quoted(lexer);
    } else if (punctuation(lexer->at, end)) {
        token->kind = PG_PUNCT;
        token->length = punctuation(lexer->at, end);
        for (size_t i = 0; i < token->length; i++)
            next_character(lexer);
    } else {
        token->kind = PG_PUNCT;
        return pg_lex_fail(lexer, "%s has no meaning in a mark", pg_lex_show(token).text);
    }
    return 0;
}

int pg_lex_init(struct pg_lexer *lexer, const struct pg_source *source,
                struct cca_error *err)
{
    *lexer = (struct pg_lexer){.source = source,
                               .at = source->text,
                               .line = source->line,
                               .column = source->column,
                               .err = err};
    return pg_lex_next(lexer);
}

int pg_lex_is(const struct pg_lexer *lexer, char c)
{
    return lexer->token.kind == PG_PUNCT && lexer->token.length == 1 &&
           *lexer->token.start == c;
}

int pg_lex_sign(const struct pg_lexer *lexer, const char *text)
{
    return lexer->token.kind == PG_PUNCT && lexer->token.length == strlen(text) &&
           memcmp(lexer->token.start, text, lexer->token.length) == 0;
}

int pg_lex_word(const struct pg_lexer *lexer, const char *word)
{
    return lexer->token.kind == PG_NAME && lexer->token.length == strlen(word) &&
           memcmp(lexer->token.start, word, lexer->token.length) == 0;
}

int pg_lex_raw(struct pg_lexer *lexer, const char *stops, const char **text,
               size_t *length)
{
    const char *end = end_of(lexer), *last;

    while (lexer->at < end && (*lexer->at == ' ' || *lexer->at == '\t'))
        next_character(lexer);
    *text = last = lexer->at;
    while (lexer->at < end && !(*lexer->at && strchr(stops, *lexer->at)) &&
           !(lexer->source->lines && (*lexer->at == '\n' || *lexer->at == '#'))) {
        if (*lexer->at != ' ' && *lexer->at != '\t' && *lexer->at != '\r')
            last = lexer->at + 1;
        next_character(lexer);
    }
    *length = (size_t)(last - *text);
    return pg_lex_next(lexer);
}
