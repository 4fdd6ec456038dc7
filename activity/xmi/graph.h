/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h: a UML file in memory, twice: as it was read (activities are graphs of nodes
 * and edges), and reduced to structured items (sequences, branches, loops). One arena
 * holds all parts of a file. */
#ifndef ACTIVITY_XMI_GRAPH_H
#define ACTIVITY_XMI_GRAPH_H

#include <stdio.h>

#include "activity/model/arena.h"
#include "ports/cca_error.h"

enum xmi_kind {
    XMI_ACTION, /* an action of any kind; object nodes, too, which do nothing */
    XMI_CALL,   /* a node that calls the activity `behavior` */
    XMI_REGION, /* a structured node, which contains the nodes in `inner` */
    XMI_LOOP,   /* a repeated region */
    XMI_INITIAL,
    XMI_FINAL,
    XMI_DECISION,
    XMI_MERGE,
    XMI_FORK,
    XMI_JOIN,
    XMI_KINDS
};

/* A tagged value of an applied stereotype. */
struct xmi_tag {
    const char *name, *value;
    int line; /* line of the tag in the file; 0: the element's line */
    struct xmi_tag *next;
};

struct xmi_node {
    enum xmi_kind kind;
    const char *id, *name; /* id of the node, and its name as in the file, or NULL */
    int line;
    const char *behavior; /* id of the activity that a call node calls */
    /* name of the first applied stereotype, "ActionPlus"; NULL: none */
    const char *stereotype;
    struct xmi_tag *tags;
    struct xmi_graph *inner;
    const char *guard; /* of a loop: condition for another iteration; NULL: unknown */
    const char *body;  /* text of an action, or NULL */
    /* of a loop: nodes that run before the first iteration, or NULL */
    struct xmi_graph *setup;
    int is_tested_last;         /* 1: the loop is a do-while loop */
    struct xmi_clause *clauses; /* clauses of a conditional node */
    int has_place;
    double x, y, width, height; /* position and size in the diagram */
    struct xmi_node *next;
};

/* A clause of a ConditionalNode: a test, and the nodes that run if it holds. */
struct xmi_clause {
    const char *test; /* id of the node that computes the test, or NULL */
    const char *body; /* ids of the nodes of the body, with blanks between */
    struct xmi_clause *next;
};

struct xmi_edge {
    const char *from, *to; /* ids of the nodes at both ends */
    const char *guard;     /* guard of the edge; NULL: none */
    int line, is_object;
    struct xmi_edge *next;
};

/* A variable, table or cost function that the file declares by UML elements: one line. */
struct xmi_value {
    const char *text, *name;
    const char *parameters, *body; /* parameters and body of a cost function */
    int is_guess; /* 1: no element of the file declares the variable; it was found in an
                   * assignment */
    int line;
    struct xmi_value *next;
};

struct xmi_graph {
    const char *id, *name;
    int line;
    struct xmi_tag *tags;
    struct xmi_node *nodes, **nodes_end;
    struct xmi_edge *edges, **edges_end;
    struct xmi_value *locals;
    struct xmi_graph *next;
};

/* A line of one of the files that were read; the upper bits hold the file's number. */
enum { XMI_FILES = 16, XMI_LINE_BITS = 24 };
#define XMI_LINE(line) ((line) & ((1 << XMI_LINE_BITS) - 1))

struct xmi_document {
    struct act_arena *arena;
    const char *path;
    const char *paths[XMI_FILES]; /* the file itself, and the files it refers to */
    int file_count;
    const char *name; /* name of the model, or NULL */
    int line;         /* line of the model's element */
    struct xmi_tag *tags;
    struct xmi_graph *graphs; /* graphs of the activities */
    /* first the variables and tables of the model, then its cost functions */
    struct xmi_value *values, *functions;
};

/* --- Structured items. --- */

enum xmi_item_kind {
    XMI_DO,    /* run a node */
    XMI_IF,    /* choose one of the branches */
    XMI_WHILE, /* guard, body */
    XMI_AGAIN, /* repeat: `body` ends with a decision; its edge with `guard` leads to
                * `rest`, then back to `body` */
    XMI_SET,   /* assign `value` to the global that `guard` names */
    XMI_BOTH   /* fork: branches that run at the same time */
};

struct xmi_branch {
    const char *guard; /* guard of the item; NULL: else, or none */
    int line;
    struct xmi_item *items;
    struct xmi_branch *next;
};

struct xmi_item {
    enum xmi_item_kind kind;
    struct xmi_node *node;
    struct xmi_branch *branches;
    const char *guard;
    /* 1: the guard belongs to the edge that leaves the loop, so it is negated */
    int is_negated;
    int value;
    int line;
    struct xmi_item *body, *rest;
    struct xmi_item *next;
};

/* Read a file with libxml2. New: xmi_document_free; NULL with `err`: -EINVAL "path:line:
 * found ..., expected ...", an I/O error, -ENOMEM. */
struct xmi_document *xmi_read(const char *path, struct cca_error *err);
void xmi_document_free(struct xmi_document *document);

/* Reduce a graph to structured items. Returns 0; -EINVAL with `err`, which names the
 * nodes that belong to no structure. */
int xmi_reduce(const struct xmi_document *document, const struct xmi_graph *graph,
               struct xmi_item **items, struct cca_error *err);

/* Convert the activities to models in the activity language: an array of models, each
 * with its text. */
struct xmi_text {
    char *name; /* name of the model: letters, digits, _ */
    char *text;
    char *layout; /* lines "id x y width height", or NULL: no diagram was in the file */
};
/* Returns 0, then call xmi_texts_free; errors as in xmi_read. */
int xmi_texts(const struct xmi_document *document, struct xmi_text **texts, size_t *count,
              struct cca_error *err);
void xmi_texts_free(struct xmi_text *texts, size_t count);

/* Set `err` to "path:line: found ..". Returns -EINVAL. */
int xmi_refuse(const struct xmi_document *document, int line, struct cca_error *err,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The value of a tag; the case of its name does not matter. NULL: no such tag. */
const char *xmi_tag(const struct xmi_tag *tags, const char *name);

#endif
