/* SPDX-License-Identifier: BSD-3-Clause */
/* beam.c: the best sums of columns (nodes) of a search for forms. */
#include "mastermind/cost/search/parts.h"

#include <math.h>
#include <stdlib.h>

static int by_score(const void *left, const void *right)
{
    double a = ((const struct mm_node *)left)->score,
           b = ((const struct mm_node *)right)->score;

    return (a > b) - (a < b);
}

void mm_beam_thin(struct mm_beam *beam)
{
    size_t kept = 0, taken = beam->count;
    struct mm_node *node = beam->node;

    qsort(node, beam->count, sizeof *node, by_score);
    for (size_t i = 0; i < taken && kept < beam->most; i++) {
        size_t same = 0;

        for (size_t k = 0; i >= beam->best && k < kept && same < MM_BEAM_GROUP; k++)
            same += node[k].support == node[i].support;
        if (i < beam->best || same < MM_BEAM_GROUP)
            node[kept++] = node[i];
    }
    beam->count = beam->sorted = kept;
    beam->limit = kept == beam->most ? node[kept - 1].score : INFINITY;
}

/* True for a node (sum of columns) that thinning would drop: it is neither among the best
 * nodes nor among the best of its set of parameters. */
static int is_useless(const struct mm_beam *beam, const struct mm_node *node)
{
    size_t same = 0;

    if (!(node->score < beam->limit))
        return 1;
    if (beam->sorted < beam->best || node->score < beam->node[beam->best - 1].score)
        return 0;
    for (size_t k = 0; k < beam->sorted && same < MM_BEAM_GROUP; k++) {
        if (beam->node[k].score > node->score)
            break;
        same += beam->node[k].support == node->support;
    }
    return same == MM_BEAM_GROUP;
}

void mm_beam_add(struct mm_beam *beam, const struct mm_node *node)
{
    if (!beam->node || is_useless(beam, node))
        return;
    beam->node[beam->count++] = *node;
    if (beam->count == 2 * beam->most)
        mm_beam_thin(beam);
}
