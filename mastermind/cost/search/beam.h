/* SPDX-License-Identifier: BSD-3-Clause */
/* beam.h: sums of columns to be extended later: the best ones, and the best of each set
 * of parameters. */
#ifndef MASTERMIND_COST_SEARCH_BEAM_H
#define MASTERMIND_COST_SEARCH_BEAM_H

#include <stddef.h>

#define MM_NODE_TERMS 3
#define MM_BEAM_GROUP 3 /* nodes kept for each set of parameters, beside the best */

/* A sum of columns, with or without a constant. */
struct mm_node {
    size_t member[MM_NODE_TERMS], count;
    unsigned support;
    double beta[MM_NODE_TERMS]; /* coefficients of the columns, each scaled to length 1 */
    double rest;                /* weighted sum of squared residuals */
    double price, score;        /* price: penalty of the terms; score: lower bound of
                                   the criterion */
};

/* Nodes to be extended later: the `best`, and up to `most` with other sets of parameters.
 */
struct mm_beam {
    struct mm_node *node; /* [2 * most]; NULL: keep none */
    size_t count, best, most;
    size_t sorted; /* number of nodes in order, since the last thinning */
    double limit;  /* nodes with a larger score are useless */
};

/* Drop all nodes except for the best ones and the best of each set of parameters; sort
 * the rest. */
void mm_beam_thin(struct mm_beam *beam);
/* Add a node to the beam, unless thinning would drop it. */
void mm_beam_add(struct mm_beam *beam, const struct mm_node *node);

#endif
