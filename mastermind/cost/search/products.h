/* SPDX-License-Identifier: BSD-3-Clause */
/* products.h: the inner products of weighted columns with each other and with the costs,
 * and how well sums of columns fit. */
#ifndef MASTERMIND_COST_SEARCH_PRODUCTS_H
#define MASTERMIND_COST_SEARCH_PRODUCTS_H

#include "mastermind/cost/search/beam.h"
#include "mastermind/cost/search/pool.h"

struct mm_products {
    const struct mm_pool *columns; /* borrowed */
    const struct mm_sheet *sheet;
    int constant;
    size_t count, rows;
    double *z,
        *y; /* columns and costs, weighted; with a constant, less their part of it */
    double *gram, *product; /* of columns with each other, and with the costs */
    double *own;            /* of each column with itself */
    double *part;           /* of columns along a constant */
    double squares;         /* of the costs */
    double *scratch;        /* [rows] * (MM_NODE_TERMS + 3) */
};

/* 0 or -ENOMEM; mm_products_done frees it. */
int mm_products_init(struct mm_products *products, const struct mm_pool *columns);
void mm_products_done(struct mm_products *products);
/* Inner products of the columns and the costs. */
void mm_products_fill(struct mm_products *products);
/* The same of what a constant leaves of them, from those without. */
void mm_products_fill_constant(struct mm_products *products,
                               const struct mm_products *plain);
/* Weighted sum of squared left-out residuals of a node; INFINITY where it is no model of
 * a cost. `*price` of terms that are small, or fall. */
double mm_products_press(const struct mm_products *products, const struct mm_node *node,
                         double *price);

#endif
