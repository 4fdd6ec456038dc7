/* SPDX-License-Identifier: BSD-3-Clause */
/* beam.h: sums of columns that a search extends later: the best, and the best of each set
 * of parameters. */
#ifndef MASTERMIND_COST_SEARCH_BEAM_H
#define MASTERMIND_COST_SEARCH_BEAM_H

#include <stddef.h>

#define MM_NODE_TERMS 3
#define MM_BEAM_GROUP 3 /* nodes of each set of parameters, beside the best */

/* A sum of columns, with or without a constant. */
struct mm_node {
    size_t member[MM_NODE_TERMS], count;
    unsigned support;
    double beta[MM_NODE_TERMS]; /* coefficients of the columns of length 1 */
    double rest;                /* weighted sum of squared residuals */
    double price, score;        /* bound of the criterion */
};

/* Nodes that are extended later: the `best`, and up to `most` of other parameters. */
struct mm_beam {
    struct mm_node *node; /* [2 * most]; NULL: none are wanted */
    size_t count, best, most;
    size_t sorted; /* of them in order, since they were thinned */
    double limit;  /* score above which a node is of no use */
};

/* Keep the best nodes, and the best of each set of parameters, in order. */
void mm_beam_thin(struct mm_beam *beam);
/* Put a node into a beam that has nodes, unless thinning would drop it. */
void mm_beam_add(struct mm_beam *beam, const struct mm_node *node);

#endif
