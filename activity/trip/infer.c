/* SPDX-License-Identifier: BSD-3-Clause */
/* infer.c: infer a pattern (regular expression) from words, in which each letter occurs
 * once.
 *
 * The graph of "letter b follows letter a" is rewritten until one node is left: chains
 * become sequences, nodes with the same neighbours become choices, a node with an edge to
 * itself becomes a repeat, and a node that edges bypass becomes optional. Where no rule
 * applies, the fewest edges that make one apply are added. The pattern then matches more
 * words than it was made from; this does no harm, because iterations and branches are
 * recorded. Source: G. Bex, F. Neven, T. Schwentick, K. Tuyls, "Inference of Concise DTDs
 * from XML Data" (VLDB 2006). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/core.h"

/* Nodes 0 and 1 are the beginning and the end of a word. */
struct graph {
    struct trip *trip;
    uint32_t letters, n;
    /* patterns of the nodes; NULL: the node was removed, or is node 0 or 1 */
    struct trip_node **nodes;
    unsigned char *edges;  /* [n][n] 1: the second node can follow the first */
    unsigned char *closed; /* [n][n]: 1: the second node follows the first, directly or
                            * through nodes that may be empty or repeated */
};

static unsigned char *graph_edge(const struct graph *g, uint32_t from, uint32_t to)
{
    return &g->edges[(size_t)from * g->n + to];
}

static unsigned char *graph_closed(const struct graph *g, uint32_t from, uint32_t to)
{
    return &g->closed[(size_t)from * g->n + to];
}

static int is_there(const struct graph *g, uint32_t i)
{
    return i < 2 || g->nodes[i];
}

/* Whether a node's pattern may follow itself. */
static int is_repeat(const struct trip_node *node)
{
    return node->kind == TRIP_TIMES && node->many;
}

/* Mark the nodes that can follow `from` after `at`, through nodes that may be empty. */
static void close_from(struct graph *g, uint32_t from, uint32_t at)
{
    for (uint32_t to = 0; to < g->n; to++) {
        if (!*graph_edge(g, at, to) || *graph_closed(g, from, to))
            continue;
        *graph_closed(g, from, to) = 1;
        if (to >= 2 && g->nodes[to]->nullable)
            close_from(g, from, to);
    }
}

static void close_graph(struct graph *g)
{
    memset(g->closed, 0, (size_t)g->n * g->n);
    for (uint32_t i = 0; i < g->n; i++) {
        if (!is_there(g, i))
            continue;
        close_from(g, i, i);
        if (i >= 2 && is_repeat(g->nodes[i]))
            *graph_closed(g, i, i) = 1;
    }
}

/* --- Rules. --- */

static void graph_drop(struct graph *g, uint32_t i)
{
    g->nodes[i] = NULL;
    for (uint32_t k = 0; k < g->n; k++)
        *graph_edge(g, i, k) = *graph_edge(g, k, i) = 0;
}

/* Replace a node that can follow itself by its repetition. Returns 1 if the rule was
 * applied, 0 if not, or -ENOMEM. */
static int loop_rule(struct graph *g)
{
    for (uint32_t i = 2; i < g->n; i++) {
        if (!g->nodes[i] || !*graph_edge(g, i, i))
            continue;
        *graph_edge(g, i, i) = 0;
        g->nodes[i] = trip_times(g->trip, g->nodes[i], 0, 1, g->letters);
        return g->nodes[i] ? 1 : -ENOMEM;
    }
    return 0;
}

/* The only successor (with `before` the only predecessor) of node i; n if there is not
 * exactly one. */
static uint32_t graph_only_one(const struct graph *g, uint32_t i, int before)
{
    uint32_t found = g->n;

    for (uint32_t k = 0; k < g->n; k++) {
        if (!*(before ? graph_edge(g, k, i) : graph_edge(g, i, k)))
            continue;
        if (found != g->n)
            return g->n;
        found = k;
    }
    return found;
}

static int chain_rule(struct graph *g)
{
    for (uint32_t i = 2; i < g->n; i++) {
        uint32_t next = g->nodes[i] ? graph_only_one(g, i, 0) : g->n;

        if (next < 2 || next == g->n || next == i || graph_only_one(g, next, 1) != i)
            continue;
        g->nodes[i] = trip_sequence(g->trip, g->nodes[i], g->nodes[next], g->letters);
        if (!g->nodes[i])
            return -ENOMEM;
        *graph_edge(g, i, next) = 0;
        for (uint32_t k = 0; k < g->n; k++)
            if (*graph_edge(g, next, k))
                *graph_edge(g, i, k) = 1;
        graph_drop(g, next);
        return 1;
    }
    return 0;
}

/* Number of edges that must be added before nodes i and j can be merged into a choice. */
static uint32_t choice_lacks(const struct graph *g, uint32_t i, uint32_t j)
{
    uint32_t lacks = 0;
    int inside = *graph_closed(g, i, j) || *graph_closed(g, j, i);

    for (uint32_t k = 0; k < g->n; k++) {
        if (k == i || k == j || !is_there(g, k))
            continue;
        lacks += *graph_closed(g, i, k) != *graph_closed(g, j, k);
        lacks += *graph_closed(g, k, i) != *graph_closed(g, k, j);
    }
    if (inside)
        lacks += !*graph_closed(g, i, j) + !*graph_closed(g, j, i) +
                 !*graph_closed(g, i, i) + !*graph_closed(g, j, j);
    return lacks;
}

static int make_choice(struct graph *g, uint32_t i, uint32_t j)
{
    int inside = *graph_closed(g, i, j) || *graph_closed(g, j, i);
    struct trip_node *a = g->nodes[i], *b = g->nodes[j];

    /* A choice that repeats as a whole needs no repeats within it. */
    if (inside && a->kind == TRIP_TIMES && !a->none)
        a = a->items[0];
    if (inside && b->kind == TRIP_TIMES && !b->none)
        b = b->items[0];
    g->nodes[i] = trip_choice(g->trip, a, b, g->letters);
    if (!g->nodes[i])
        return -ENOMEM;
    for (uint32_t k = 0; k < g->n; k++) {
        *graph_edge(g, i, k) |= *graph_edge(g, j, k);
        *graph_edge(g, k, i) |= *graph_edge(g, k, j);
    }
    *graph_edge(g, i, i) = (unsigned char)inside;
    graph_drop(g, j);
    return 1;
}

/* Number of edges that must be added before node i can become optional. */
static uint32_t option_lacks(const struct graph *g, uint32_t i)
{
    uint32_t lacks = 0;

    for (uint32_t a = 0; a < g->n; a++) {
        if (a == i || !is_there(g, a) || !*graph_closed(g, a, i))
            continue;
        for (uint32_t b = 0; b < g->n; b++)
            lacks += b != i && is_there(g, b) && *graph_closed(g, i, b) &&
                     !*graph_closed(g, a, b);
    }
    return lacks;
}

static int make_option(struct graph *g, uint32_t i)
{
    /* remove each edge that bypasses node i where a path through i connects the same
     * nodes */
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; a != i && *graph_edge(g, a, i) && b < g->n; b++)
            if (b != i && *graph_edge(g, i, b))
                *graph_edge(g, a, b) = 0;
    g->nodes[i] = trip_times(g->trip, g->nodes[i], 1, 0, g->letters);
    return g->nodes[i] ? 1 : -ENOMEM;
}

/* Add the fewest edges that allow two nodes to become a choice, or one node to become
 * optional, and apply that rule. */
static int best_rule(struct graph *g)
{
    uint32_t least = UINT32_MAX, first = 0, second = 0;

    close_graph(g);
    for (uint32_t i = 2; i < g->n; i++) {
        for (uint32_t j = i + 1; g->nodes[i] && j < g->n; j++) {
            uint32_t lacks = g->nodes[j] ? choice_lacks(g, i, j) : UINT32_MAX;

            if (lacks < least) {
                least = lacks;
                first = i;
                second = j;
            }
        }
        if (g->nodes[i] && !g->nodes[i]->nullable && option_lacks(g, i) < least) {
            least = option_lacks(g, i);
            first = i;
            second = 0;
        }
    }
    if (least == UINT32_MAX)
        return 0;
    return second ? make_choice(g, first, second) : make_option(g, first);
}

/* --- The graph of words. --- */

static void graph_add_word(struct graph *g, const struct trip_word *word)
{
    uint32_t before = 0;

    for (size_t i = 0; i < word->count; i++) {
        *graph_edge(g, before, word->letters[i] + 2) = 1;
        before = word->letters[i] + 2;
    }
    *graph_edge(g, before, 1) = 1;
}

static uint32_t graph_nodes_left(const struct graph *g, uint32_t *last)
{
    uint32_t left = 0;

    for (uint32_t i = 2; i < g->n; i++) {
        if (g->nodes[i]) {
            left++;
            *last = i;
        }
    }
    return left;
}

static struct trip_node *graph_rewrite(struct graph *g)
{
    uint32_t last = 2, left;
    struct trip_node *root;
    int rc = 1, is_empty = *graph_edge(g, 0, 1);

    *graph_edge(g, 0, 1) = 0;
    while ((left = graph_nodes_left(g, &last)) > 1 && rc > 0) {
        rc = loop_rule(g);
        rc = rc ? rc : chain_rule(g);
        rc = rc ? rc : best_rule(g);
    }
    while (rc > 0 && left == 1 && *graph_edge(g, last, last))
        rc = loop_rule(g);
    root = rc < 0 || left != 1 ? NULL : g->nodes[last];
    if (root && is_empty && !root->nullable)
        root = trip_times(g->trip, root, 1, 0, g->letters);
    return root;
}

struct trip_node *trip_flat(struct trip *trip, uint32_t letters)
{
    struct trip_node *choice = trip_call_node(trip, 0, letters);

    for (uint32_t i = 1; i < letters && choice; i++) {
        struct trip_node *next = trip_call_node(trip, i, letters);

        choice = next ? trip_choice(trip, choice, next, letters) : NULL;
    }
    return choice ? trip_times(trip, choice, 1, 1, letters) : NULL;
}

struct trip_node *trip_infer(struct trip *trip, const struct trip_word *words,
                             size_t count, uint32_t letters)
{
    struct graph g = {.trip = trip, .letters = letters, .n = letters + 2};
    struct trip_node *root = NULL;

    g.nodes = calloc(g.n, sizeof(struct trip_node *));
    g.edges = calloc(g.n, g.n);
    g.closed = calloc(g.n, g.n);
    if (g.nodes && g.edges && g.closed) {
        int rc = 0;

        for (uint32_t i = 0; i < letters && !rc; i++) {
            g.nodes[i + 2] = trip_call_node(trip, i, letters);
            rc = g.nodes[i + 2] ? 0 : -ENOMEM;
        }
        for (size_t i = 0; i < count; i++)
            graph_add_word(&g, &words[i]);
        root = rc ? NULL : graph_rewrite(&g);
    } else {
        cca_no_memory(trip->err);
    }
    free(g.nodes);
    free(g.edges);
    free(g.closed);
    return root;
}
