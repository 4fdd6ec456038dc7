/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h: boxes and arrows as SVG: what stands in them, where it goes, how it looks.
 *
 *   +--------------------------+            +--------------------------+
 *   | flux.flux.compute        |            | flux                     |
 *   | EFMFlux                  |            | EFMFlux                  |
 *   | =========         45.8 % |            | flux o        o states   |
 *   | ========          44.9 % |            | provided          used   |
 *   +--------------------------+            +--------------------------+
 *
 * A picture is built by mm_picture_node and mm_picture_edge, placed by
 * mm_picture_place, and written with others by mm_picture_write. It knows no experiment.
 * Texts are borrowed where a function says so; all others are copied. What hovering shows
 * is text with a newline behind each line. */
#ifndef MASTERMIND_PICTURE_PICTURE_H
#define MASTERMIND_PICTURE_PICTURE_H

#include <stddef.h>
#include <stdio.h>

#include "ports/cca_error.h"

#define MM_NO_PORT ((size_t)-1)

enum mm_node_kind {
    MM_NODE_BOX,
    MM_NODE_WORD, /* a title without a box: <thread> */
    MM_NODE_REST  /* grey: all that was cut */
};

struct mm_picture_port {
    char *name, *hover;
    int is_used; /* at the right, of those that the node uses; else at the left */
    double y;    /* of its middle, below the top of the node */
};

struct mm_picture_node {
    enum mm_node_kind kind;
    char *id;               /* unique in the document */
    char *title, *subtitle; /* lines in the box; subtitle may be "" */
    char *hover;
    int bars;                   /* 0: none; 1: measured; 2: and predicted */
    double measured, predicted; /* shares for bars; NaN: not known, an empty bar */
    struct mm_picture_port *ports;
    size_t port_count;
    double x, y, width, height; /* pixels; left upper corner */
};

struct mm_picture_point {
    double x, y;
};

struct mm_picture_edge {
    size_t from, to;           /* nodes; the same one for recursion */
    size_t from_port, to_port; /* or MM_NO_PORT */
    char *label;               /* "" or a number */
    char *hover;
    double weight;                   /* 0 to 1: how thick */
    int is_rest;                     /* dashed: from or to what was cut */
    int is_back;                     /* once placed: it closes a circle */
    struct mm_picture_point *points; /* cubic Bezier splines: 1 + 3 n */
    size_t point_count;
    struct mm_picture_point label_at;
};

struct mm_picture {
    char *name;         /* begins the ids: "dual" */
    char *title, *note; /* the heading, and a line below it */
    struct mm_picture_node *nodes;
    size_t node_count;
    struct mm_picture_edge *edges;
    size_t edge_count;
    double width, height; /* once placed */
    int without_dot;      /* placed, and no Graphviz was found */
    int failed;           /* memory was out while it was built */
};

/* What all pictures of a document share. Borrowed. */
struct mm_picture_sheet {
    const char *title, *subtitle;
    const char *const *legend; /* [legend_count] lines below the subtitle */
    size_t legend_count;
    int bars; /* which bars the legend explains; 0: none */
};

void mm_picture_init(struct mm_picture *picture, const char *name, const char *title,
                     const char *note);
void mm_picture_done(struct mm_picture *picture);
/* Add a node without bars and ports, and return it: borrowed until the next is added.
 * Where memory is out, a node that is not in the picture. */
struct mm_picture_node *mm_picture_node(struct mm_picture *picture,
                                        enum mm_node_kind kind, const char *title,
                                        const char *subtitle, const char *hover);
/* Add a port to the node added last. */
void mm_picture_port(struct mm_picture *picture, const char *name, int is_used,
                     const char *hover);
/* Add an edge, and return it like mm_picture_node. */
struct mm_picture_edge *mm_picture_edge(struct mm_picture *picture, size_t from,
                                        size_t to, const char *label, const char *hover);

/* Place nodes and edges by a run of Graphviz, in a process of its own; where there is
 * none, or it takes too long, in plain layers. 0, or with `err`: -EFBIG too many boxes
 * and arrows; -ENOMEM. */
int mm_picture_place(struct mm_picture *picture, struct cca_error *err);
/* Write pictures that are placed, one below the other, as one document. The caller checks
 * `to` for errors. */
void mm_picture_write(FILE *to, const struct mm_picture_sheet *sheet,
                      const struct mm_picture *pictures, size_t count);

#endif
