/* SPDX-License-Identifier: BSD-3-Clause */
/* products.h: inner products of weighted columns and costs, and the fit of sums of
 * columns. */
#ifndef MASTERMIND_COST_SEARCH_PRODUCTS_H
#define MASTERMIND_COST_SEARCH_PRODUCTS_H

#include "mastermind/cost/search/beam.h"
#include "mastermind/cost/search/pool.h"

struct mm_products {
    const struct mm_pool *columns; /* columns of terms; borrowed */
    const struct mm_sheet *sheet;
    int constant;
    size_t count, rows;
    double *z,
        *y; /* columns and costs, weighted; with a constant, minus their mean part */
    double *gram, *product; /* inner products of columns with each other and with the
                               costs */
    double *own;            /* squared length of each column */
    double *part;           /* inner product of columns with the constant */
    double squares;         /* squared length of the costs */
    double *scratch;        /* [rows] * (MM_NODE_TERMS + 3) numbers of scratch memory */
};

/* Allocate the products. Returns 0 or -ENOMEM. Free with mm_products_done. */
int mm_products_init(struct mm_products *products, const struct mm_pool *columns);
void mm_products_done(struct mm_products *products);
/* Compute the inner products of the columns and the costs. */
void mm_products_fill(struct mm_products *products);
/* Like mm_products_fill, but for columns orthogonal to a constant; derived from `plain`.
 */
void mm_products_fill_constant(struct mm_products *products,
                               const struct mm_products *plain);
/* Weighted sum of squared left-out residuals of a node; INFINITY where it is no valid
 * cost. `*price` gets the price of terms that are small or fall. */
double mm_products_press(const struct mm_products *products, const struct mm_node *node,
                         double *price);

#endif
