/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h: draw boxes and arrows as SVG.
 *
 *   +--------------------------+            +--------------------------+
 *   | flux.flux.compute        |            | flux                     |
 *   | EFMFlux                  |            | EFMFlux                  |
 *   | =========         45.8 % |            | flux o        o states   |
 *   | ========          44.9 % |            | provided          used   |
 *   +--------------------------+            +--------------------------+
 *
 * A picture is built by mm_picture_node and mm_picture_edge, positioned by
 * mm_picture_place, and written with others by mm_picture_write. It is independent of
 * experiments. Texts are copied, unless a comment has the word borrowed. The text shown
 * at the mouse pointer has a newline after each line. */
#ifndef MASTERMIND_PICTURE_PICTURE_H
#define MASTERMIND_PICTURE_PICTURE_H

#include <stddef.h>
#include <stdio.h>

#include "ports/cca_error.h"

#define MM_NO_PORT ((size_t)-1)

enum mm_node_kind {
    MM_NODE_BOX,
    MM_NODE_WORD, /* a title without a box, such as <thread> */
    MM_NODE_REST  /* grey node that stands for all nodes that were left out */
};

struct mm_picture_port {
    char *name, *hover;
    /* true if the node uses the port, which is drawn at the right; false if it provides
     * the port, at the left */
    int is_used;
    double y; /* distance of the middle of the port from the top of the node */
};

struct mm_picture_node {
    enum mm_node_kind kind;
    char *id;               /* id of the node, unique in the document */
    char *title, *subtitle; /* first lines in the box; `subtitle` may be "" */
    char *hover;
    int bars; /* number of bars: 0, 1 (measured) or 2 (measured and predicted) */
    /* shares that the bars show; NaN: unknown, and the bar is empty */
    double measured, predicted;
    struct mm_picture_port *ports;
    size_t port_count;
    double x, y, width, height; /* position and size in pixels; x, y: upper left corner */
};

struct mm_picture_point {
    double x, y;
};

struct mm_picture_edge {
    size_t from, to;           /* indexes of the nodes that the edge joins; equal for
                                  recursion */
    size_t from_port, to_port; /* indexes of the ports at both ends, or MM_NO_PORT */
    char *label;               /* text at the edge: "" or a number */
    char *hover;
    double weight; /* thickness of the edge, from 0 to 1 */
    /* true if the edge is dashed, because it begins or ends at nodes that were left
     * out */
    int is_rest;
    int is_back; /* true if the edge closes a cycle; set by mm_picture_place */
    /* points of the path, a chain of n cubic Bezier curves: 1 + 3 n points */
    struct mm_picture_point *points;
    size_t point_count;
    struct mm_picture_point label_at;
};

struct mm_picture {
    char *name;         /* prefix of the picture's ids in the document, such as "dual" */
    char *title, *note; /* heading, and a line below it */
    struct mm_picture_node *nodes;
    size_t node_count;
    struct mm_picture_edge *edges;
    size_t edge_count;
    double width, height; /* size in pixels, set by mm_picture_place */
    int without_dot;      /* true if there was no Graphviz; set by mm_picture_place */
    int failed;           /* true if memory ran out while the picture was built */
};

/* Texts for all pictures of a document. All are borrowed. */
struct mm_picture_sheet {
    const char *title, *subtitle;
    const char *const *legend; /* [legend_count] lines below the subtitle */
    size_t legend_count;
    int bars; /* number of bars that the legend explains */
};

void mm_picture_init(struct mm_picture *picture, const char *name, const char *title,
                     const char *note);
void mm_picture_done(struct mm_picture *picture);
/* Add a node without bars and ports. Returns the node, borrowed until the next call; if
 * memory runs out, a node that is not part of the picture. */
struct mm_picture_node *mm_picture_node(struct mm_picture *picture,
                                        enum mm_node_kind kind, const char *title,
                                        const char *subtitle, const char *hover);
/* Add a port to the latest node of a picture. */
void mm_picture_port(struct mm_picture *picture, const char *name, int is_used,
                     const char *hover);
/* Add an edge to a picture. Returns the edge, borrowed like a node from
 * mm_picture_node. */
struct mm_picture_edge *mm_picture_edge(struct mm_picture *picture, size_t from,
                                        size_t to, const char *label, const char *hover);

/* Place nodes and edges by Graphviz, which runs in a child process, or in plain layers if
 * Graphviz is missing or takes too long. Returns 0, or with `err` -EFBIG: too many boxes
 * and arrows; or -ENOMEM. */
int mm_picture_place(struct mm_picture *picture, struct cca_error *err);
/* Write pictures that have positions, one below the other, as one document. The caller
 * checks `to` for errors. */
void mm_picture_write(FILE *to, const struct mm_picture_sheet *sheet,
                      const struct mm_picture *pictures, size_t count);

#endif
