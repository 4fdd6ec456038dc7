/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.h: split mark-up into tokens with positions. */
#ifndef PROXYGEN_PERF_LEX_H
#define PROXYGEN_PERF_LEX_H

#include "common/expr/token.h"
#include "ports/cca_error.h"

/* A piece of mark-up and its position. The text need not end with a NUL. */
struct pg_source {
    const char *file;
    const char *text;
    size_t length;
    int line, column; /* position of the first character, counted from 1 */
    int fixed; /* true to report every error at that position, because the columns of the
                  text are unknown */
    int lines; /* true if newlines are tokens and '#' begins a comment, as in a sidecar */
};

struct pg_lexer {
    const struct pg_source *source;
    struct cca_cursor cursor;
    struct cca_token token; /* the current token */
    struct cca_error *err;
};

/* Initialise the lexer, and read the first token. Returns 0 or a negative errno with
 * `err`. */
int pg_lex_init(struct pg_lexer *lexer, const struct pg_source *source,
                struct cca_error *err);
/* Go to the next token. Returns 0; -EINVAL for an unknown character or an invalid
 * number. */
int pg_lex_next(struct pg_lexer *lexer);
/* True if the current token is the name or sign `text`. */
int pg_lex_is(const struct pg_lexer *lexer, const char *text);

/* Take all characters after the current token, up to one of the characters in `stops` or
 * the end, or in a sidecar up to a newline or comment; blanks at both ends are cut. Then
 * go to the next token. `*text` is borrowed from the source. */
int pg_lex_raw(struct pg_lexer *lexer, const char *stops, const char **text,
               size_t *length);

/* Report `file:line:column: error: ...` at the current token. Returns -EINVAL. */
int pg_lex_fail(const struct pg_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Report "FOUND where `what` was expected" at the current token. Returns -EINVAL. */
int pg_lex_unexpected(const struct pg_lexer *lexer, const char *what);
/* Report that the current token is not a `what` (such as "field") of `whole`, and ask
 * "did you mean `near`?", unless `near` is NULL. Returns -EINVAL. */
int pg_lex_unknown(const struct pg_lexer *lexer, const char *what, const char *whole,
                   const char *near);
/* Like pg_lex_fail, but at the given token, which was read before. */
int pg_lex_fail_at(const struct pg_lexer *lexer, const struct cca_token *token,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A token as a text for messages: "'nx'", "the end". */
struct pg_shown {
    char text[48];
};
struct pg_shown pg_lex_show(const struct cca_token *token);

#endif
