/* SPDX-License-Identifier: BSD-3-Clause */
/* shape.h: a graph of control flow while it collapses. */
#ifndef ACTIVITY_XMI_SHAPE_H
#define ACTIVITY_XMI_SHAPE_H

#include "activity/xmi/graph.h"

enum xmi_spot_kind { PLAIN, DECISION, MERGE, FORK, JOIN, GONE };

/* A vertex: a node of the file, or several that have collapsed. */
struct xmi_spot {
    enum xmi_spot_kind kind;
    struct xmi_node *node; /* node whose name appears in errors; NULL: begin or end */
    struct xmi_item *items, *last;
    int in, out;
};

struct xmi_way {
    int from, to, line, is_gone, is_object;
    const char *guard;
};

struct xmi_shape {
    const struct xmi_document *document;
    const struct xmi_graph *graph;
    struct xmi_spot *spots;
    size_t spot_count;
    struct xmi_way *ways;
    size_t way_count;
    int start, end;
    int failed;
    struct cca_error *err;
};

/* The next edge out of vertex `spot` after edge number `after`; -1: none. */
int xmi_way_from(const struct xmi_shape *s, int spot, int after);
/* Make an item of the reduced graph; NULL with s->failed. */
struct xmi_item *xmi_new_item(struct xmi_shape *s, enum xmi_item_kind kind, int line);

/* Structure what reduction left: a global holds the number of the vertex that comes next.
 * Returns 1: *items is the whole graph; 0: a loop has two entries, or forks are left;
 * s->failed: no memory. */
int xmi_structure_rest(struct xmi_shape *s, struct xmi_item **items);

#endif
