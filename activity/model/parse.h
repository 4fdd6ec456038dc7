/* SPDX-License-Identifier: BSD-3-Clause */
/* parse.h: state of the parser, shared by its files. */
#ifndef ACTIVITY_MODEL_PARSE_H
#define ACTIVITY_MODEL_PARSE_H

#include "activity/model/lex.h"

enum { ACT_DEEPEST = 200 }; /* limit of nested braces and parentheses */

struct act_parse {
    struct act_lex lex;
    struct act_model *model;
    struct act_variable *parameters; /* parameters of the function being read */
    /* visible locals of the activity being read; loop variables first */
    struct act_variable *locals;
    int depth;
    int costs; /* 1: the parser is inside a cost expression, where model() is allowed */
    const char *inner; /* comments inside an element, kept for it */
    const char *tail;  /* comment after the last token */
};

/* Whether the current token is `text`, which is a name, a keyword or a sign. */
int act_parse_is(const struct act_parse *p, const char *text);
/* Read the next token; the current one's comments are kept in `inner` and `tail`. */
int act_parse_next(struct act_parse *p);
/* Refuse any current token but `text`, and read the next one. */
int act_parse_expect(struct act_parse *p, const char *text);
void *act_parse_take(struct act_parse *p, size_t size);
/* Join two comments, each on its own line; either may be NULL. */
const char *act_parse_join(struct act_parse *p, const char *a, const char *b);

/* Refuse a new name that is taken, or reserved by the language. Returns 0 or -EINVAL. */
int act_parse_free(struct act_parse *p, const char *name, int may_hide);
/* Read a "text" and the next token. NULL: refused, with the message that a text of `of`
 * was expected. */
const char *act_parse_text(struct act_parse *p, const char *of);

/* Read an expression; NULL: an error, which p->lex keeps. expression.c */
struct act_expr *act_parse_expression(struct act_parse *p);
/* Refuse an expression of type double where a long is needed. Returns 0 or -EINVAL. */
int act_parse_long(struct act_parse *p, const struct act_expr *e, const char *of);
/* The visible variable of a name, or NULL. */
struct act_variable *act_parse_variable(const struct act_parse *p, const char *name);

/* Read elements, or the branches of a fork, up to a closing brace, which stays the
 * current token. *end is the comment before the brace. elements.c */
int act_parse_elements(struct act_parse *p, struct act_element **first, const char **end,
                       int branches);
/* Read a number. NULL: refused. */
struct act_expr *act_parse_number(struct act_parse *p);

/* Read "stereotype NAME of BASE { TAGS }", from the second token on; and "<<NAME TAG =
 * VALUE>>", from its first token, for an element of kind `base`, appended to *list.
 * profile.c */
int act_parse_stereotype(struct act_parse *p);
int act_parse_applied(struct act_parse *p, const char *base, struct act_applied **list);

/* Finish a model of which all text was read: resolve names, number elements, refuse
 * recursion and messages of threads. resolve.c */
int act_parse_resolve(struct act_parse *p);

#endif
