/* SPDX-License-Identifier: BSD-3-Clause */
/* token.h: split a text into tokens (names, numbers, strings, signs), for all languages
 * in which people write expressions: marks, activity models, properties, formulas. No
 * memory is allocated; the text need not end with a NUL. Any thread. */
#ifndef COMMON_EXPR_TOKEN_H
#define COMMON_EXPR_TOKEN_H

#include <stddef.h>
#include <stdint.h>

enum cca_token_kind {
    CCA_TOKEN_END,
    CCA_TOKEN_LINE, /* a newline, in a language in which newlines have a meaning */
    CCA_TOKEN_NAME,
    CCA_TOKEN_INTEGER,
    CCA_TOKEN_REAL,
    /* a character in quotes, such as 'N'; its code is in the member `i` */
    CCA_TOKEN_CHARACTER,
    CCA_TOKEN_STRING, /* a string, including its quotes */
    CCA_TOKEN_SIGN,
    CCA_TOKEN_RAW /* text that the parser of the language reads itself */
};

struct cca_token {
    enum cca_token_kind kind;
    const char *start; /* first byte of the token, inside the text that is read */
    size_t length;
    int line, column; /* position of the token, counted from 1; the column counts bytes */
    int64_t i;
    double d; /* value of a number, including integers */
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
    /* strings contain ASCII without '\'; single quotes enclose one character */
    CCA_LEX_PLAIN = 32,
    CCA_LEX_DOUBLED = 64 /* a quote inside a string is written twice */
};

/* Signs (operators and punctuation) and lexical options of a language. */
struct cca_lexis {
    const char *pairs;   /* signs of two characters, without separators: "==!=<=" */
    const char *singles; /* "=<+" */
    const char *quotes;
    int options; /* CCA_LEX_ */
};

/* A position in a text. */
struct cca_cursor {
    const char *at, *end;
    int line, column;
};

/* Skip blanks, and newlines and comments that have no meaning in the language. */
void cca_cursor_skip(const struct cca_lexis *lexis, struct cca_cursor *cursor);
/* Advance the cursor by `length` bytes. */
void cca_cursor_step(struct cca_cursor *cursor, size_t length);

/* Skip blanks, read the token at the cursor, and move the cursor past it. After an error
 * the token has its kind, position and length. */
enum cca_token_fault cca_token_next(const struct cca_lexis *lexis,
                                    struct cca_cursor *cursor, struct cca_token *token);
/* True if the token is the name or sign `text`. */
int cca_token_is(const struct cca_token *token, const char *text);

#endif
