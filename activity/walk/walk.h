/* SPDX-License-Identifier: BSD-3-Clause */
/* walk.h: traversal of a model, as in Pllana's paper (Section 3, Figure 3.4): three
 * entities that use each other only through these structs of functions.
 *
 *   Traverser ── go down, along, up ──▶ Navigator          position in the model
 *       │     ◀── the current node ──────────┘
 *       └───── enter, leave ──────────▶ ContentHandler      writes each node
 *
 * A new output format needs only a new ContentHandler.
 * docs/reference/activity-language.md has one, a shared object for `activity print --as
 * ./mine.so`. One thread at a time. */
#ifndef ACTIVITY_WALK_WALK_H
#define ACTIVITY_WALK_WALK_H

#include <stdio.h>

#include "activity/model/tree.h"

enum act_node_kind {
    ACT_NODE_MODEL,      /* the root */
    ACT_NODE_STEREOTYPE, /* `stereotype` */
    ACT_NODE_GLOBAL,     /* `variable` */
    ACT_NODE_TABLE,      /* `table` */
    ACT_NODE_FUNCTION,   /* a cost function: `function` */
    ACT_NODE_ACTIVITY,   /* an activity: `activity`; children: its locals, then its
                          * elements */
    ACT_NODE_LOCAL,      /* `variable` */
    ACT_NODE_ELEMENT, /* an element: `element`; children of an if: its branches; of other
                       * elements: the elements inside */
    ACT_NODE_BRANCH,  /* branch of an if with its `guard`, NULL: else; children: elements,
                       * or statements of code */
    ACT_NODE_CODE,    /* the do { } of `element`; children: its statements */
    ACT_NODE_STATEMENT /* an assignment in code (ACT_SET): `element`; an if in code is
                        * ACT_NODE_ELEMENT */
};

/* A node, as a Navigator returns it. All pointers are borrowed from the model; members
 * that a kind does not use are NULL. */
struct act_node {
    enum act_node_kind kind;
    const struct act_model *model;
    const struct act_stereotype *stereotype;
    const struct act_variable *variable;
    const struct act_table *table;
    const struct act_function *function;
    /* the activity; for a local or an element, the enclosing activity */
    const struct act_activity *activity;
    const struct act_element *element;
    const struct act_expr *guard;
    int index; /* number of the node among its siblings, from 0 */
    int depth; /* depth of the node; 0: the root */
};

/* Commands that move the navigator. Each command returns 1; or 0, without moving, if
 * there is no such node. */
struct act_navigator {
    void *context;
    int (*down)(void *context);  /* move to the first child */
    int (*along)(void *context); /* move to the next sibling */
    int (*up)(void *context);    /* move to the parent */
    const struct act_node *(*current)(void *context);
};

/* Callbacks of a traversal: on reaching a node, and after all its descendants; each may
 * be NULL. A callback that returns a negative errno and sets `err` ends the traversal
 * with that result. */
struct act_content_handler {
    void *context;
    int (*enter)(void *context, const struct act_node *node, struct cca_error *err);
    int (*leave)(void *context, const struct act_node *node, struct cca_error *err);
};

struct act_traverser {
    void *context;
    /* Traverse the navigator's current node and its descendants. Returns 0 or the
     * handler's error. */
    int (*walk)(void *context, const struct act_navigator *navigator,
                const struct act_content_handler *handler, struct cca_error *err);
};

/* The usual traverser: depth first. */
extern const struct act_traverser act_traverser_usual;

/* Navigators define the order of a traversal. act_navigator_text: the order of the text.
 * act_navigator_flow: declarations, then Main alone, with each called activity inside its
 * calls. New, freed by act_navigator_free; `context` is NULL if memory is out. */
struct act_navigator act_navigator_text(const struct act_model *model);
struct act_navigator act_navigator_flow(const struct act_model *model);
void act_navigator_free(struct act_navigator *navigator);

/* --- Output formats of shared objects --------------------------------------------- */

#define ACT_FORM_VERSION 1

/* Functions of `activity` that a format may call. */
struct act_form_host {
    int (*expression)(const struct act_expr *e, FILE *out); /* act_expr_print */
    const char *(*kind_name)(enum act_kind kind);           /* "allreduce" */
};

/* A shared object for --as defines `const struct act_form act_form`, below. */
struct act_form {
    int version;      /* version of the interface: ACT_FORM_VERSION */
    const char *name; /* description of the format in a few words, for messages */
    int along_flow; /* navigator to use: 0: in the order of the text; 1: along the flow */
    /* Make a handler that writes the model in this format to `out`, which is borrowed.
     * Returns 0 with *handler, or a negative errno with `err`. */
    int (*begin)(struct act_content_handler *handler, FILE *out,
                 const struct act_form_host *host, struct cca_error *err);
    /* Called after the traversal, also a failed one: free the handler. May be NULL. */
    void (*end)(struct act_content_handler *handler);
};

extern const struct act_form act_form __attribute__((visibility("default")));

#endif
