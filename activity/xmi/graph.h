/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h: what is read of a UML file: activities as graphs of nodes and edges; and what
 * they become: structured items. All of a file lies in one arena. */
#ifndef ACTIVITY_XMI_GRAPH_H
#define ACTIVITY_XMI_GRAPH_H

#include <stdio.h>

#include "activity/model/arena.h"
#include "ports/cca_error.h"

enum xmi_kind {
    XMI_ACTION, /* of any kind; also object nodes, which do nothing */
    XMI_CALL,   /* of an activity: `behavior` */
    XMI_REGION, /* structured: its nodes are in `inner` */
    XMI_LOOP,   /* a region that is repeated */
    XMI_INITIAL,
    XMI_FINAL,
    XMI_DECISION,
    XMI_MERGE,
    XMI_FORK,
    XMI_JOIN,
    XMI_KINDS
};

/* A tagged value of a stereotype that is applied to something. */
struct xmi_tag {
    const char *name, *value;
    int line; /* 0: that of the element */
    struct xmi_tag *next;
};

struct xmi_node {
    enum xmi_kind kind;
    const char *id, *name; /* name: as in the file, or NULL */
    int line;
    const char *behavior;   /* of a call: id of an activity */
    const char *stereotype; /* "ActionPlus", the first that is applied; NULL: none */
    struct xmi_tag *tags;
    struct xmi_graph *inner;
    const char *guard; /* of a loop: what has to hold for another turn; NULL: unknown */
    const char *body;  /* of an action: its text, or NULL */
    struct xmi_graph *setup;    /* of a loop: what is before the first turn, or NULL */
    int is_tested_last;         /* of a loop */
    struct xmi_clause *clauses; /* of a conditional node */
    int has_place;
    double x, y, width, height; /* in the diagram */
    struct xmi_node *next;
};

/* Of a ConditionalNode: a test and what is done where it holds. */
struct xmi_clause {
    const char *test; /* the id of a node in it, or NULL */
    const char *body; /* ids of nodes in it, with blanks between */
    struct xmi_clause *next;
};

struct xmi_edge {
    const char *from, *to; /* ids */
    const char *guard;     /* NULL: none */
    int line, is_object;
    struct xmi_edge *next;
};

/* A variable, table or cost function that a file has as elements of UML: a line. */
struct xmi_value {
    const char *text, *name;
    const char *parameters, *body; /* of a function */
    int is_guess;                  /* declared by nobody: a code assigns to it */
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

/* A line of one of the files: its number is in the upper bits. */
enum { XMI_FILES = 16, XMI_LINE_BITS = 24 };
#define XMI_LINE(line) ((line) & ((1 << XMI_LINE_BITS) - 1))

struct xmi_document {
    struct act_arena *arena;
    const char *path;
    const char *paths[XMI_FILES]; /* it, and those that it refers to */
    int file_count;
    const char *name; /* of the model, or NULL */
    int line;         /* of it */
    struct xmi_tag *tags;
    struct xmi_graph *graphs;             /* activities */
    struct xmi_value *values, *functions; /* variables and tables; cost functions */
};

/* --- Structured. --- */

enum xmi_item_kind {
    XMI_DO,    /* a node */
    XMI_IF,    /* branches */
    XMI_WHILE, /* guard, body */
    XMI_AGAIN, /* body, which ends with a decision: `guard` leads to `rest`, then back */
    XMI_SET,   /* the global that is named by the guard becomes `value` */
    XMI_BOTH   /* branches at a time: fork */
};

struct xmi_branch {
    const char *guard; /* NULL: else, or none */
    int line;
    struct xmi_item *items;
    struct xmi_branch *next;
};

struct xmi_item {
    enum xmi_item_kind kind;
    struct xmi_node *node;
    struct xmi_branch *branches;
    const char *guard;
    int is_negated; /* the guard is of the way out */
    int value;
    int line;
    struct xmi_item *body, *rest;
    struct xmi_item *next;
};

/* Read a file with libxml2. New: xmi_document_free; NULL with `err`: -EINVAL "path:line:
 * found ..., expected ...", an I/O error, -ENOMEM. */
struct xmi_document *xmi_read(const char *path, struct cca_error *err);
void xmi_document_free(struct xmi_document *document);

/* A graph as structured items: 0; -EINVAL with `err`, which names the nodes of what is
 * not structured. */
int xmi_reduce(const struct xmi_document *document, const struct xmi_graph *graph,
               struct xmi_item **items, struct cca_error *err);

/* The activities as models in the language: an array of them, each with its text. */
struct xmi_text {
    char *name; /* of the model: letters, digits, _ */
    char *text;
    char *layout; /* lines "id x y width height", or NULL: no diagram was in the file */
};
/* 0, then xmi_texts_free; errors as of xmi_read. */
int xmi_texts(const struct xmi_document *document, struct xmi_text **texts, size_t *count,
              struct cca_error *err);
void xmi_texts_free(struct xmi_text *texts, size_t count);

/* "path:line: found ..". -EINVAL. */
int xmi_refuse(const struct xmi_document *document, int line, struct cca_error *err,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The value of a tag, in any case of letters; NULL: it is not given. */
const char *xmi_tag(const struct xmi_tag *tags, const char *name);

#endif
