/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.h: tokens of the mark-up language, with their positions. */
#ifndef PROXYGEN_PERF_LEX_H
#define PROXYGEN_PERF_LEX_H

#include "common/expr/token.h"
#include "ports/cca_error.h"

/* A piece of mark-up and its position. The text need not end with a NUL. */
struct pg_source {
    const char *file;
    const char *text;
    size_t length;
    int line, column; /* of the first character, from 1 */
    int fixed; /* report every error at that position: the text has no own columns */
    int lines; /* newlines are tokens and '#' starts a comment (a sidecar) */
};

struct pg_lexer {
    const struct pg_source *source;
    struct cca_cursor cursor;
    struct cca_token token; /* the current one */
    struct cca_error *err;
};

/* Start, with the first token as the current one. 0 or a negative errno with `err`. */
int pg_lex_init(struct pg_lexer *lexer, const struct pg_source *source,
                struct cca_error *err);
/* Go to the next token. 0; -EINVAL for an unknown character or an invalid number. */
int pg_lex_next(struct pg_lexer *lexer);
/* True if the current token is that name or sign. */
int pg_lex_is(const struct pg_lexer *lexer, const char *text);

/* Take all characters after the current token up to one of `stops`, a newline or
 * comment (in a sidecar) or the end, trimmed; then go to the next token. Borrowed from
 * the source. */
int pg_lex_raw(struct pg_lexer *lexer, const char *stops, const char **text,
               size_t *length);

/* Report `file:line:column: error: ...` at the current token. Returns -EINVAL. */
int pg_lex_fail(const struct pg_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "FOUND where `what` was expected" at the current token. Returns -EINVAL. */
int pg_lex_unexpected(const struct pg_lexer *lexer, const char *what);
/* The current token is no `what` of `whole`; did you mean `near` (NULL: nothing is near)?
 * Returns -EINVAL. */
int pg_lex_unknown(const struct pg_lexer *lexer, const char *what, const char *whole,
                   const char *near);
/* pg_lex_fail at an earlier token. */
int pg_lex_fail_at(const struct pg_lexer *lexer, const struct cca_token *token,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The current token for a message, quoted: "'nx'", "the end". */
struct pg_shown {
    char text[48];
};
struct pg_shown pg_lex_show(const struct cca_token *token);

#endif
