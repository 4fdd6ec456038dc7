/* SPDX-License-Identifier: BSD-3-Clause */
/* token.h: words, numbers, strings and signs of the languages that people write
 * expressions in: marks, activity models, properties, formulas. Nothing is allocated, and
 * the text need not end with a NUL. Any thread. */
#ifndef COMMON_EXPR_TOKEN_H
#define COMMON_EXPR_TOKEN_H

#include <stddef.h>
#include <stdint.h>

enum cca_token_kind {
    CCA_TOKEN_END,
    CCA_TOKEN_LINE, /* a newline that has a meaning */
    CCA_TOKEN_NAME,
    CCA_TOKEN_INTEGER,
    CCA_TOKEN_REAL,
    CCA_TOKEN_CHARACTER, /* 'N': i */
    CCA_TOKEN_STRING,    /* with its quotes */
    CCA_TOKEN_SIGN,
    CCA_TOKEN_RAW /* what a language reads by itself */
};

struct cca_token {
    enum cca_token_kind kind;
    const char *start; /* in the text */
    size_t length;
    int line, column; /* from 1; the column counts bytes */
    int64_t i;
    double d; /* of integers, too */
};

enum cca_token_fault {
    CCA_TOKEN_GOOD,
    CCA_TOKEN_NO_NUMBER,
    CCA_TOKEN_RANGE,      /* an integer beyond 64 bits, a real beyond double */
    CCA_TOKEN_LONG,       /* a number of more than 400 characters */
    CCA_TOKEN_OPEN,       /* quotes without an end, or around what they may not hold */
    CCA_TOKEN_CHARACTERS, /* 'ab' */
    CCA_TOKEN_STRANGE     /* a character that begins nothing */
};

enum {
    CCA_LEX_LINES = 1,    /* newlines are tokens, and '#' begins a comment */
    CCA_LEX_POINT = 2,    /* numbers may begin with the point: .5 */
    CCA_LEX_HEX = 4,      /* 0x1f */
    CCA_LEX_SEPARATE = 8, /* no letter stands right behind a number */
    CCA_LEX_DOTS = 16,    /* names have dots and bytes of UTF-8, too */
    CCA_LEX_PLAIN = 32,   /* quotes hold ASCII without '\'; ' and ' one character */
    CCA_LEX_DOUBLED = 64  /* a quote in quotes is written twice */
};

/* The signs of a language and more. */
struct cca_lexis {
    const char *pairs;   /* of two characters: "==!=<=" */
    const char *singles; /* "=<+" */
    const char *quotes;
    int options; /* CCA_LEX_ */
};

/* A place in a text. */
struct cca_cursor {
    const char *at, *end;
    int line, column;
};

/* Step over blanks, and newlines and comments that have no meaning. */
void cca_cursor_skip(const struct cca_lexis *lexis, struct cca_cursor *cursor);
/* Step over `length` bytes. */
void cca_cursor_step(struct cca_cursor *cursor, size_t length);

/* Skip, and read the token at the cursor, which is left behind it. Of a fault the token
 * has kind, place and length. */
enum cca_token_fault cca_token_next(const struct cca_lexis *lexis,
                                    struct cca_cursor *cursor, struct cca_token *token);
/* True if the token is that name or sign. */
int cca_token_is(const struct cca_token *token, const char *text);

#endif
