/* SPDX-License-Identifier: BSD-3-Clause */
/* token.h: tokens (names, numbers, strings, signs) of the languages in which people write
 * expressions: marks, activity models, properties, formulas. Allocates no memory; the
 * text need not end with a NUL. Any thread. */
#ifndef COMMON_EXPR_TOKEN_H
#define COMMON_EXPR_TOKEN_H

#include <stddef.h>
#include <stdint.h>

enum cca_token_kind {
    CCA_TOKEN_END,
    CCA_TOKEN_LINE, /* a newline, in a language where it has a meaning */
    CCA_TOKEN_NAME,
    CCA_TOKEN_INTEGER,
    CCA_TOKEN_REAL,
    /* a character in quotes, such as 'N'; its code is in the member i */
    CCA_TOKEN_CHARACTER,
    CCA_TOKEN_STRING, /* a string, including its quotes */
    CCA_TOKEN_SIGN,
    CCA_TOKEN_RAW /* text that the language parses itself */
};

struct cca_token {
    enum cca_token_kind kind;
    const char *start; /* first byte of the token, inside the text that is read */
    size_t length;
    int line, column; /* position of the token, counted from 1; the column counts bytes */
    int64_t i;
    double d; /* value of a number, also of an integer */
};

enum cca_token_fault {
    CCA_TOKEN_GOOD,
    CCA_TOKEN_NO_NUMBER,
    CCA_TOKEN_RANGE, /* an integer beyond 64 bits, or a real beyond double */
    CCA_TOKEN_LONG,  /* a number of more than 400 characters */
    CCA_TOKEN_OPEN,  /* quotes without an end, or with characters that are not allowed */
    CCA_TOKEN_CHARACTERS, /* several characters in single quotes, such as 'ab' */
    CCA_TOKEN_STRANGE     /* a character that begins no token */
};

enum {
    CCA_LEX_LINES = 1,    /* newlines are tokens, and '#' begins a comment */
    CCA_LEX_POINT = 2,    /* numbers may begin with a point: .5 */
    CCA_LEX_HEX = 4,      /* 0x1f */
    CCA_LEX_SEPARATE = 8, /* a letter may not directly follow a number */
    CCA_LEX_DOTS = 16,    /* names may contain dots and UTF-8 */
    CCA_LEX_PLAIN = 32,   /* quotes contain ASCII without '\'; ' and ' enclose one
                             character */
    CCA_LEX_DOUBLED = 64  /* a quote in quotes is written twice */
};

/* Signs (operators and punctuation) and lexical options of a language. */
struct cca_lexis {
    const char *pairs;   /* signs of two characters: "==!=<=" */
    const char *singles; /* "=<+" */
    const char *quotes;
    int options; /* CCA_LEX_ */
};

/* A position in a text. */
struct cca_cursor {
    const char *at, *end;
    int line, column;
};

/* Skip blanks, and newlines and comments without meaning. */
void cca_cursor_skip(const struct cca_lexis *lexis, struct cca_cursor *cursor);
/* Advance by `length` bytes. */
void cca_cursor_step(struct cca_cursor *cursor, size_t length);

/* Skip blanks and read the token at the cursor, which moves past it. In case of an error
 * the token has kind, position and length. */
enum cca_token_fault cca_token_next(const struct cca_lexis *lexis,
                                    struct cca_cursor *cursor, struct cca_token *token);
/* True if the token is this name or sign. */
int cca_token_is(const struct cca_token *token, const char *text);

#endif
