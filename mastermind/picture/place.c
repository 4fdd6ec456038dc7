/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c: place a picture by Graphviz if that succeeds, else in plain layers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/picture/inside.h"

enum {
    /* largest number of nodes and edges; a larger picture could not be read */
    MOST = 20000,
    /* largest number of edges for Graphviz, which takes too long for more */
    MOST_DOT = 600
};

/* --- Cycles ------------------------------------------------------------------ */

/* A node on the current path of a depth-first search, and its next edge to visit. */
struct step {
    size_t node, next;
};

/* Mark edges that lead back to a node on the search's path, or to the node itself, and
 * the edges of the node that stands for others. Marked edges may begin and end at any
 * side of a box. Returns 0 or -ENOMEM. */
static int mark_back(struct mm_picture *picture)
{
    enum { NEW, ABOVE, DONE };
    unsigned char *state = calloc(picture->node_count + 1, 1);
    struct step *way = malloc((picture->node_count + 1) * sizeof *way);
    size_t deep;

    for (size_t root = 0; state && way && root < picture->node_count; root++) {
        if (state[root] != NEW)
            continue;
        way[0] = (struct step){root, 0};
        state[root] = ABOVE;
        for (deep = 1; deep;) {
            struct step *step = &way[deep - 1];
            struct mm_picture_edge *edge = &picture->edges[step->next];

            if (step->next++ == picture->edge_count) {
                state[way[--deep].node] = DONE;
            } else if (edge->from == step->node) {
                edge->is_back = state[edge->to] == ABOVE ||
                                picture->nodes[edge->from].kind == MM_NODE_REST;
                if (edge->is_back || state[edge->to] != NEW)
                    continue;
                state[edge->to] = ABOVE;
                way[deep++] = (struct step){edge->to, 0};
            }
        }
    }
    free(way);
    free(state);
    return state && way ? 0 : -ENOMEM;
}

/* Extend a bounding box so that it contains a point. */
static void widen(struct mm_picture_point *low, struct mm_picture_point *high, double x,
                  double y)
{
    *low = (struct mm_picture_point){fmin(low->x, x), fmin(low->y, y)};
    *high = (struct mm_picture_point){fmax(high->x, x), fmax(high->y, y)};
}

static void move_all(struct mm_picture *picture, double x, double y)
{
    for (size_t i = 0; i < picture->node_count; i++) {
        picture->nodes[i].x += x;
        picture->nodes[i].y += y;
    }
    for (size_t i = 0; i < picture->edge_count; i++) {
        struct mm_picture_edge *edge = &picture->edges[i];

        edge->label_at.x += x;
        edge->label_at.y += y;
        for (size_t k = 0; k < edge->point_count; k++) {
            edge->points[k].x += x;
            edge->points[k].y += y;
        }
    }
}

/* Set the size of the picture. Arrows and labels may extend beyond the boxes on any side.
 */
static void take_extent(struct mm_picture *picture)
{
    struct mm_picture_point low = {0, 0}, high = {picture->width, picture->height};

    for (size_t i = 0; i < picture->edge_count; i++) {
        const struct mm_picture_edge *edge = &picture->edges[i];
        double half = mm_text_width(edge->label, SMALL_SIZE, 0) / 2;

        widen(&low, &high, edge->label_at.x - half, edge->label_at.y - SMALL_SIZE);
        widen(&low, &high, edge->label_at.x + half, edge->label_at.y + SMALL_SIZE);
        for (size_t k = 0; k < edge->point_count; k++)
            widen(&low, &high, edge->points[k].x, edge->points[k].y);
    }
    move_all(picture, -low.x, -low.y);
    picture->width = high.x - low.x;
    picture->height = high.y - low.y;
}

int mm_picture_place(struct mm_picture *picture, struct cca_error *err)
{
    int result;

    if (picture->failed)
        return cca_no_memory(err);
    if (picture->node_count + picture->edge_count > MOST)
        return cca_error_set(
            err, -EFBIG,
            "found %zu boxes with %zu arrows, expected at most %d in all: "
            "--prune draws fewer",
            picture->node_count, picture->edge_count, MOST);
    if (mark_back(picture))
        return cca_no_memory(err);
    for (size_t i = 0; i < picture->node_count; i++)
        mm_node_measure(&picture->nodes[i]);
    result = picture->edge_count <= MOST_DOT ? mm_dot_place(picture) : -E2BIG;
    picture->without_dot = result == -ENOENT;
    if (result && result != -ENOMEM)
        result = mm_layers_place(picture);
    if (result)
        return cca_no_memory(err);
    take_extent(picture);
    return 0;
}
