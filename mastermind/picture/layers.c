/* SPDX-License-Identifier: BSD-3-Clause */
/* layers.c: place a picture in plain layers, on machines without Graphviz and for
 * pictures with too many arrows for Graphviz.
 *
 *     layer 0      1          2
 *     [ a ] ──▶ [ b ] ──▶ [ d ]      the layer of a node is the longest path to it
 *         └───▶ [ c ] ──────┘ */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/picture/inside.h"

enum {
    ROUNDS = 8,   /* number of times that nodes are ordered by their neighbours */
    BESIDE = 110, /* pixels between layers */
    BELOW = 22    /* pixels between nodes of a layer */
};

struct place {
    size_t node, layer;
    double middle; /* position of the node in its layer, from 0 to 1 */
    double wanted; /* mean position of the node's neighbours */
    size_t neighbours;
};

/* --- Layers ------------------------------------------------------------------ */

static void find_layers(const struct mm_picture *picture, struct place *places)
{
    int changed = 1;

    while (changed) { /* the loop ends, because there are no cycles without the edges
                         marked `is_back` */
        changed = 0;
        for (size_t i = 0; i < picture->edge_count; i++) {
            const struct mm_picture_edge *edge = &picture->edges[i];

            places[edge->from].neighbours = places[edge->to].neighbours = 1;
            if (edge->is_back || places[edge->to].layer > places[edge->from].layer)
                continue;
            places[edge->to].layer = places[edge->from].layer + 1;
            changed = 1;
        }
    }
}

/* Arrange nodes without edges in a square. */
static void spread_single(const struct mm_picture *picture, struct place *places)
{
    size_t single = 0, columns, at = 0;

    for (size_t i = 0; i < picture->node_count; i++)
        single += !places[i].neighbours;
    columns = (size_t)ceil(sqrt((double)single));
    for (size_t i = 0; i < picture->node_count; i++)
        if (!places[i].neighbours)
            places[i].layer = at++ % columns;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->layer != b->layer)
        return a->layer < b->layer ? -1 : 1;
    if (a->wanted != b->wanted)
        return a->wanted < b->wanted ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int compare_nodes(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return (a->node > b->node) - (a->node < b->node);
}

/* Order the nodes of each layer by `wanted`, the mean position of their neighbours. */
static void order_layers(struct place *places, size_t count)
{
    qsort(places, count, sizeof *places, compare_places);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && places[end].layer == places[first].layer; end++)
            ;
        for (size_t i = first; i < end; i++)
            places[i].middle = ((double)(i - first) + .5) / (double)(end - first);
    }
    qsort(places, count, sizeof *places, compare_nodes);
}

/* Order the nodes of each layer so that they are near their callers, then so that they
 * are near their callees, and so on by turns. */
static void order_nodes(const struct mm_picture *picture, struct place *places)
{
    order_layers(places, picture->node_count);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < picture->node_count; i++) {
            places[i].wanted = 0;
            places[i].neighbours = 0;
        }
        for (size_t i = 0; i < picture->edge_count; i++) {
            const struct mm_picture_edge *edge = &picture->edges[i];
            struct place *own = &places[round % 2 ? edge->from : edge->to];

            own->wanted += places[round % 2 ? edge->to : edge->from].middle;
            own->neighbours++;
        }
        for (size_t i = 0; i < picture->node_count; i++)
            places[i].wanted = places[i].neighbours
                                   ? places[i].wanted / (double)places[i].neighbours
                                   : places[i].middle;
        order_layers(places, picture->node_count);
    }
}

/* --- Pixels ------------------------------------------------------------------ */

static void place_nodes(struct mm_picture *picture, struct place *places)
{
    size_t count = picture->node_count;

    for (size_t i = 0; i < count; i++)
        places[i].wanted = places[i].middle;
    qsort(places, count, sizeof *places, compare_places);
    picture->width = picture->height = 0;
    for (int pass = 0; pass < 2; pass++) { /* the first pass finds the total height */
        double x = 0;

        for (size_t first = 0, end; first < count; first = end) {
            double y = 0, width = 0;

            for (end = first; end < count && places[end].layer == places[first].layer;
                 end++) {
                const struct mm_picture_node *node = &picture->nodes[places[end].node];

                y += node->height + (end > first ? BELOW : 0);
                width = fmax(width, node->width);
            }
            picture->height = fmax(picture->height, y);
            y = (picture->height - y) / 2;
            for (size_t i = first; i < end; i++) {
                struct mm_picture_node *node = &picture->nodes[places[i].node];

                node->x = x + (width - node->width) / 2;
                node->y = y;
                y += node->height + BELOW;
            }
            x += width;
            picture->width = x;
            x += BESIDE;
        }
    }
}

static double end_y(const struct mm_picture_node *node, size_t port)
{
    return node->y + (port == MM_NO_PORT ? node->height / 2 : node->ports[port].y);
}

static struct mm_picture_point curve_at(const struct mm_picture_point *p, double t)
{
    double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;

    return (struct mm_picture_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                                     a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* Route an edge from the right side of a node to the left side of another. Returns the
 * position of the edge's label, before the boxes that a long arrow may cross. */
static double route_on(const struct mm_picture_node *from,
                       const struct mm_picture_node *to,
                       const struct mm_picture_edge *edge, struct mm_picture_point *p)
{
    double bend, bow, far;

    p[0] = (struct mm_picture_point){from->x + from->width, end_y(from, edge->from_port)};
    p[3] = (struct mm_picture_point){to->x - ARROW, end_y(to, edge->to_port)};
    far = p[3].x - p[0].x;
    bend = fmax(fabs(far) / 3, BESIDE / 3.);
    bow = far > 2 * BESIDE && fabs(p[3].y - p[0].y) < from->height
              ? from->height + BELOW + .08 * far
              : 0;
    p[1] = (struct mm_picture_point){p[0].x + bend, p[0].y - bow};
    p[2] = (struct mm_picture_point){p[3].x - bend, p[3].y - bow};
    return far > 2 * BESIDE ? .5 * BESIDE / far : .5;
}

/* Route an edge from the lower side of a node to the lower side of another node further
 * left. */
static void route_back(const struct mm_picture_node *from,
                       const struct mm_picture_node *to, struct mm_picture_point *p)
{
    double low = fmax(from->y + from->height, to->y + to->height) + 2 * BELOW;

    low += .08 * fabs(from->x - to->x);
    p[0] = (struct mm_picture_point){from->x + .4 * from->width, from->y + from->height};
    p[3] = (struct mm_picture_point){to->x + .6 * to->width, to->y + to->height + ARROW};
    p[1] = (struct mm_picture_point){p[0].x, low};
    p[2] = (struct mm_picture_point){p[3].x, low};
}

static void route_loop(const struct mm_picture_node *node, struct mm_picture_point *p)
{
    p[0] = (struct mm_picture_point){node->x + .5 * node->width, node->y};
    p[3] = (struct mm_picture_point){node->x + .7 * node->width, node->y - ARROW};
    p[1] = (struct mm_picture_point){p[0].x, node->y - 24};
    p[2] = (struct mm_picture_point){p[3].x, node->y - 30};
}

static void route_edge(const struct mm_picture *picture, struct mm_picture_edge *edge)
{
    const struct mm_picture_node *from = &picture->nodes[edge->from];
    const struct mm_picture_node *to = &picture->nodes[edge->to];
    int has_ports = edge->from_port != MM_NO_PORT || edge->to_port != MM_NO_PORT;
    double label = .5;

    if (edge->from == edge->to && !has_ports)
        route_loop(from, edge->points);
    else if (to->x < from->x + from->width && !has_ports)
        route_back(from, to, edge->points);
    else
        label = route_on(from, to, edge, edge->points);
    edge->label_at = curve_at(edge->points, label);
    edge->label_at.y -= 4;
}

int mm_layers_place(struct mm_picture *picture)
{
    struct place *places = calloc(picture->node_count + 1, sizeof *places);

    if (!places)
        return -ENOMEM;
    for (size_t i = 0; i < picture->node_count; i++) {
        places[i].node = i;
        places[i].wanted = (double)i;
    }
    find_layers(picture, places);
    spread_single(picture, places);
    order_nodes(picture, places);
    place_nodes(picture, places);
    free(places);
    for (size_t i = 0; i < picture->edge_count; i++) {
        struct mm_picture_edge *edge = &picture->edges[i];

        free(edge->points); /* free the points that a failed run of Graphviz may have
                             * left */
        edge->points = calloc(4, sizeof *edge->points);
        if (!edge->points)
            return -ENOMEM;
        edge->point_count = 4;
        route_edge(picture, edge);
    }
    return 0;
}
