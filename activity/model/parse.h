/* SPDX-License-Identifier: BSD-3-Clause */
/* parse.h: the parser's state, for its files. */
#ifndef ACTIVITY_MODEL_PARSE_H
#define ACTIVITY_MODEL_PARSE_H

#include "activity/model/lex.h"

enum { ACT_DEEPEST = 200 }; /* braces, parentheses */

struct act_parse {
    struct act_lex lex;
    struct act_model *model;
    struct act_variable *parameters; /* of the function that is read */
    struct act_variable *locals;     /* of the activity, loop variables first */
    int depth;
    int costs;         /* within a cost: model() may stand there */
    const char *inner; /* comments within an element, for it */
    const char *tail;  /* behind the last word */
};

/* The current word is `text`, a name or a sign. */
int act_parse_is(const struct act_parse *p, const char *text);
/* Go on behind the current word; its comments are kept in `inner` and `tail`. */
int act_parse_next(struct act_parse *p);
/* Go on behind `text`, which must come now. */
int act_parse_expect(struct act_parse *p, const char *text);
void *act_parse_take(struct act_parse *p, size_t size);
/* Join two comments, a line each; either may be NULL. */
const char *act_parse_join(struct act_parse *p, const char *a, const char *b);

/* Refuse a name that a variable, table or cost function must not have: it is taken, or
 * the language's. 0 or -EINVAL. */
int act_parse_free(struct act_parse *p, const char *name, int may_hide);
/* The word is a "text": it, and go on. NULL: refused, "expected" a text of that. */
const char *act_parse_text(struct act_parse *p, const char *of);

/* An expression; NULL with the lex failed. expression.c */
struct act_expr *act_parse_expression(struct act_parse *p);
/* Refuse a double where a long must be. 0 or -EINVAL. */
int act_parse_long(struct act_parse *p, const struct act_expr *e, const char *of);
/* A variable of a name in reach, or NULL. */
struct act_variable *act_parse_variable(const struct act_parse *p, const char *name);

/* Elements, or the branches of a fork, up to a closing brace, which stays. *end is the
 * comment before that. elements.c */
int act_parse_elements(struct act_parse *p, struct act_element **first, const char **end,
                       int branches);
/* The number that is the current word. NULL: refused. */
struct act_expr *act_parse_number(struct act_parse *p);

/* "stereotype NAME of BASE { TAGS }", behind the first word; and "<<NAME TAG = VALUE>>",
 * at its start, of an element of kind `base`, appended to *list. profile.c */
int act_parse_stereotype(struct act_parse *p);
int act_parse_applied(struct act_parse *p, const char *base, struct act_applied **list);

/* What names mean that are known only when all was read, numbers of elements, what may
 * not be: recursion, messages of threads. resolve.c */
int act_parse_resolve(struct act_parse *p);

#endif
