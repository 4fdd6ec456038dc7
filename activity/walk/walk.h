/* SPDX-License-Identifier: BSD-3-Clause */
/* walk.h: walking through a model, as the paper has it (Section 3, Figure 3.4): three
 * entities that know of each other no more than these structs of functions.
 *
 *   Traverser ── go down, along, up ──▶ Navigator          where in the model
 *       │     ◀── the current node ──────────┘
 *       └───── enter, leave ──────────▶ ContentHandler      what is written of it
 *
 * A new form of models is a ContentHandler alone. docs/reference/activity-language.md has one, as a
 * shared object for `activity print --as ./mine.so`. One thread at a time. */
#ifndef ACTIVITY_WALK_WALK_H
#define ACTIVITY_WALK_WALK_H

#include <stdio.h>

#include "activity/model/tree.h"

enum act_node_kind {
    ACT_NODE_MODEL,      /* the root */
    ACT_NODE_STEREOTYPE, /* `stereotype` */
    ACT_NODE_GLOBAL,     /* `variable` */
    ACT_NODE_TABLE,      /* `table` */
    ACT_NODE_FUNCTION,   /* `function`: a cost function */
    ACT_NODE_ACTIVITY,   /* `activity`; in it its locals, then its elements */
    ACT_NODE_LOCAL,      /* `variable` */
    ACT_NODE_ELEMENT,    /* `element`; an if has branches in it, others their elements */
    ACT_NODE_BRANCH,   /* of an if: `guard`, NULL: else; in it elements, or statements */
    ACT_NODE_CODE,     /* `element`'s do { }: statements are in it */
    ACT_NODE_STATEMENT /* `element`: ACT_SET; an if there is ACT_NODE_ELEMENT */
};

/* Where a Navigator is. All is borrowed from the model; what a kind has not is NULL. */
struct act_node {
    enum act_node_kind kind;
    const struct act_model *model;
    const struct act_stereotype *stereotype;
    const struct act_variable *variable;
    const struct act_table *table;
    const struct act_function *function;
    const struct act_activity *activity; /* also of locals and elements: the one around */
    const struct act_element *element;
    const struct act_expr *guard;
    int index; /* from 0, among its siblings */
    int depth; /* the root is at 0 */
};

/* Commands move it; each returns 1, or 0 where there is no such node: it stays then. */
struct act_navigator {
    void *context;
    int (*down)(void *context);  /* to the first child */
    int (*along)(void *context); /* to the next sibling */
    int (*up)(void *context);    /* to the parent */
    const struct act_node *(*current)(void *context);
};

/* What is done at each node: when the walk comes to it, and when all that is in it has
 * been. NULL: nothing. A negative errno ends the walk with it; say why in `err`. */
struct act_content_handler {
    void *context;
    int (*enter)(void *context, const struct act_node *node, struct cca_error *err);
    int (*leave)(void *context, const struct act_node *node, struct cca_error *err);
};

struct act_traverser {
    void *context;
    /* Walk from the navigator's current node through all that is in it. 0 or what the
     * handler returned. */
    int (*walk)(void *context, const struct act_navigator *navigator,
                const struct act_content_handler *handler, struct cca_error *err);
};

/* The usual traverser: depth first. */
extern const struct act_traverser act_traverser_usual;

/* Navigators. In the order of the text; or along the flow: declarations, then Main alone,
 * where the activities that it calls stand in the calls. New, freed by
 * act_navigator_free; its `context` is NULL where memory is out. */
struct act_navigator act_navigator_text(const struct act_model *model);
struct act_navigator act_navigator_flow(const struct act_model *model);
void act_navigator_free(struct act_navigator *navigator);

/* --- Forms as shared objects ------------------------------------------------------ */

#define ACT_FORM_VERSION 1

/* What a form may ask of `activity`. */
struct act_form_host {
    int (*expression)(const struct act_expr *e, FILE *out); /* act_expr_print */
    const char *(*kind_name)(enum act_kind kind);           /* "allreduce" */
};

/* A shared object for --as defines `const struct act_form act_form`, below. */
struct act_form {
    int version;      /* ACT_FORM_VERSION */
    const char *name; /* what it writes, in a few words */
    int along_flow;   /* of the two navigators: 0 text, 1 flow */
    /* Make a handler that writes to `out`, which is borrowed: 0 with *handler, or a
     * negative errno with `err`. */
    int (*begin)(struct act_content_handler *handler, FILE *out,
                 const struct act_form_host *host, struct cca_error *err);
    /* Behind the walk, whatever came of it: free what the handler has. May be NULL. */
    void (*end)(struct act_content_handler *handler);
};

extern const struct act_form act_form __attribute__((visibility("default")));

#endif
