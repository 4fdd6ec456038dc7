/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.c: the lexer of the mark-up language. */
#include "tools/proxygen/perf/lex.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static int report(const struct pg_lexer *lexer,
                                                        const struct cca_token *token,
                                                        const char *format, va_list args)
{
    const struct pg_source *source = lexer->source;
    char text[320];

    vsnprintf(text, sizeof text, format, args);
    return cca_error_set(lexer->err, -EINVAL, "%.150s:%d:%d: error: %s", source->file,
                         source->fixed ? source->line : token->line,
                         source->fixed ? source->column : token->column, text);
}

int pg_lex_fail(const struct pg_lexer *lexer, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report(lexer, &lexer->token, format, args);
    va_end(args);
    return -EINVAL;
}

int pg_lex_fail_at(const struct pg_lexer *lexer, const struct cca_token *token,
                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report(lexer, token, format, args);
    va_end(args);
    return -EINVAL;
}

int pg_lex_unexpected(const struct pg_lexer *lexer, const char *what)
{
    return pg_lex_fail(lexer, "%s where %s was expected", pg_lex_show(&lexer->token).text,
                       what);
}

int pg_lex_unknown(const struct pg_lexer *lexer, const char *what, const char *whole,
                   const char *near)
{
    return pg_lex_fail(
        lexer, "%s is no %s of '%.60s'%s%.60s%s", pg_lex_show(&lexer->token).text, what,
        whole, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

struct pg_shown pg_lex_show(const struct cca_token *token)
{
    struct pg_shown shown;
    size_t length = token->length < 40 ? token->length : 40;
    char word[41];

    if (token->kind == CCA_TOKEN_END || token->kind == CCA_TOKEN_LINE) {
        snprintf(shown.text, sizeof shown.text, "the end%s",
                 token->kind == CCA_TOKEN_LINE ? " of the line" : "");
        return shown;
    }
    /* replace control characters, which must not reach a terminal */
    for (size_t i = 0; i < length; i++)
        word[i] =
            token->start[i] >= 0x20 && token->start[i] < 0x7f ? token->start[i] : '.';
    word[length] = 0;
    snprintf(shown.text, sizeof shown.text, "'%s'", word);
    return shown;
}

int pg_lex_next(struct pg_lexer *lexer)
{
    static const struct cca_lexis signs = {.pairs = "-><<>><=>===!=&&||",
                                           .singles = "+-*/%()=;:,{}[].<>!&|?",
                                           .quotes = "\"'",
                                           .options = CCA_LEX_POINT | CCA_LEX_HEX |
                                                      CCA_LEX_SEPARATE | CCA_LEX_PLAIN};
    struct cca_lexis lexis = signs;
    const struct cca_token *token = &lexer->token;
    enum cca_token_fault fault;

    lexis.options |= lexer->source->lines ? CCA_LEX_LINES : 0;
    fault = cca_token_next(&lexis, &lexer->cursor, &lexer->token);
    switch (fault) {
    case CCA_TOKEN_GOOD:
        return 0;
    case CCA_TOKEN_LONG:
        return pg_lex_fail(lexer, "a number of %zu characters is too long",
                           token->length);
    case CCA_TOKEN_OPEN:
        return pg_lex_fail(lexer, "the %s has no end, or contains a special character",
                           *token->start == '"' ? "string" : "character");
    default:
        return pg_lex_fail(lexer, "%s %s", pg_lex_show(token).text,
                           fault == CCA_TOKEN_NO_NUMBER    ? "is not a number"
                           : fault == CCA_TOKEN_RANGE      ? "is out of range"
                           : fault == CCA_TOKEN_CHARACTERS ? "is not one character"
                                                           : "has no meaning in a mark");
    }
}

int pg_lex_init(struct pg_lexer *lexer, const struct pg_source *source,
                struct cca_error *err)
{
    *lexer = (struct pg_lexer){.source = source,
                               .cursor = {source->text, source->text + source->length,
                                          source->line, source->column},
                               .err = err};
    return pg_lex_next(lexer);
}

int pg_lex_is(const struct pg_lexer *lexer, const char *text)
{
    return cca_token_is(&lexer->token, text);
}

int pg_lex_raw(struct pg_lexer *lexer, const char *stops, const char **text,
               size_t *length)
{
    struct cca_cursor *cursor = &lexer->cursor;
    const char *last;

    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
        cca_cursor_step(cursor, 1);
    *text = last = cursor->at;
    while (cursor->at < cursor->end && !(*cursor->at && strchr(stops, *cursor->at)) &&
           !(lexer->source->lines && (*cursor->at == '\n' || *cursor->at == '#'))) {
        if (*cursor->at != ' ' && *cursor->at != '\t' && *cursor->at != '\r')
            last = cursor->at + 1;
        cca_cursor_step(cursor, 1);
    }
    *length = (size_t)(last - *text);
    return pg_lex_next(lexer);
}
