/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h: the terms that the search combines, as weighted columns of a sheet. */
#ifndef MASTERMIND_COST_SEARCH_POOL_H
#define MASTERMIND_COST_SEARCH_POOL_H

#include "mastermind/cost/search/sheet.h"

struct mm_pool_term {
    struct mm_basis basis;
    double price, shape; /* penalties from mm_price_basis and mm_price_shape */
    double growth;       /* sum of the term's powers from mm_price_growth */
    double length;       /* length of the weighted column, by which z is divided */
    unsigned support;    /* bit k: the term contains axis k */
    double *z;           /* [rows] value * sqrt(weight), scaled to length 1 */
    double *value;       /* [rows] value of the term at each size */
};

struct mm_pool {
    const struct mm_sheet *sheet; /* costs and weights of the sizes; borrowed */
    size_t count, capacity;
    struct mm_pool_term *column;
    double *memory;
};

/* Make the columns of all terms of one parameter and of the products of two and three
 * parameters that the data of `sheet` can distinguish, in ascending order of price. Free
 * with mm_pool_done. Returns 0 or -ENOMEM. */
int mm_pool_init(struct mm_pool *columns, const struct mm_sheet *sheet, double max_power);
void mm_pool_done(struct mm_pool *columns);
/* Recompute the weighted columns of the pool after the weights of the sheet have
 * changed. */
void mm_pool_weigh(struct mm_pool *columns);

#endif
