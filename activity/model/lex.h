/* SPDX-License-Identifier: BSD-3-Clause */
/* lex.h: the tokens of a model's text, one by one, each with the comments before it. */
#ifndef ACTIVITY_MODEL_LEX_H
#define ACTIVITY_MODEL_LEX_H

#include "activity/model/arena.h"
#include "activity/model/tree.h"
#include "common/expr/token.h"

struct act_word {
    enum cca_token_kind kind; /* kind of the token; CCA_TOKEN_RAW: {{ C }} */
    const char *text; /* text of the token, in the arena: of "text", the characters
                         between the quotes; of {{ C }}, the C code */
    int64_t whole;
    double real;
    struct act_place place;
    /* comment in whole lines before the token, without "//", or NULL */
    const char *comment;
    const char *tail; /* comment after the token in its line, or NULL */
};

struct act_lex {
    const char *name;
    struct cca_cursor cursor;
    struct act_arena *arena;
    struct act_word word; /* the current token */
    struct cca_error *err;
    int failed;
};

/* Read the first token. Returns 0, or -EINVAL or -ENOMEM, which `failed` keeps. */
int act_lex_begin(struct act_lex *lex, const char *name, const char *text, size_t size,
                  struct act_arena *arena, struct cca_error *err);
/* Read the next token. */
int act_lex_next(struct act_lex *lex);
/* Set the error "name:line:column: found X, expected Y" for the current token.
 * Returns -EINVAL. */
int act_lex_refuse(struct act_lex *lex, const char *expected);
/* Set an error at a place, with any text. */
int act_lex_refuse_at(struct act_lex *lex, struct act_place place, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));
int act_lex_no_memory(struct act_lex *lex);

#endif
