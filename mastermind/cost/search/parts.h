/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the search share. */
#ifndef MASTERMIND_COST_SEARCH_PARTS_H
#define MASTERMIND_COST_SEARCH_PARTS_H

#include <stddef.h>

#include "mastermind/cost/search/judge.h"
#include "mastermind/cost/search/pool.h"
#include "mastermind/cost/search/sheet.h"

/* --- beam.c -------------------------------------------------------------- */

#define MM_NODE_TERMS 3
/* number of nodes (sums of columns) kept for each set of parameters, beside the best
 * nodes */
#define MM_BEAM_GROUP 3

/* A sum of columns, with or without a constant. */
struct mm_node {
    size_t member[MM_NODE_TERMS], count;
    unsigned support;
    double beta[MM_NODE_TERMS]; /* coefficients of the columns, each scaled to length 1 */
    double rest;                /* weighted sum of squared residuals */
    double price, score; /* `price`: penalty of the terms; `score`: lower bound of the
                            score that judge.h defines */
};

/* Nodes to be extended later: the `best`, and up to `most` with other sets of parameters.
 */
struct mm_beam {
    struct mm_node *node; /* [2 * most] nodes; NULL: keep no nodes */
    size_t count, best, most;
    size_t sorted; /* number of nodes that the last thinning put in order */
    double limit;  /* nodes with a larger score are useless */
};

/* Drop all nodes except for the best ones and the best of each set of parameters; sort
 * the rest. */
void mm_beam_thin(struct mm_beam *beam);
/* Add a node to the beam, unless thinning would drop it. */
void mm_beam_add(struct mm_beam *beam, const struct mm_node *node);

/* --- breaks.c ------------------------------------------------------------ */

/* Extend the candidates of `leads` by one more break, at positions also between the
 * sizes, and add the good ones to `list`. `next` gets the best extensions of each lead
 * even if they are not good enough, because a further break may improve them; NULL: not
 * wanted. Returns 0 or -ENOMEM. */
int mm_breaks_search(struct mm_bench *bench, const struct mm_shortlist *leads,
                     double max_power, struct mm_shortlist *list,
                     struct mm_shortlist *next);

/* --- ends.c -------------------------------------------------------------- */

struct mm_end {
    int found;
    size_t row;
    double next; /* size next to this end (smallest or largest size) */
};

/* Decide whether row `row` of the sheet, an outlier with this residual, has the smallest
 * or largest size (an "end"). Returns 1 and sets `end`, or 0. */
int mm_end_see(struct mm_end *end, const struct mm_sheet *sheet, size_t row,
               double residual);
/* Add to the forms, which were fitted without the end (smallest or largest size), a jump
 * to its cost. Beyond the largest size, the cost may instead grow much more steeply; so a
 * hinge becomes an alternative form. */
void mm_end_add(const struct mm_end *end, const struct mm_sheet *sheet,
                struct mm_forms *forms);

/* --- outlier.c ----------------------------------------------------------- */

/* Find a row without which a candidate of `list` explains the other rows so much better
 * that an outlier is more likely than all candidates being wrong. Tried only where sizes
 * scatter far beyond the noise of their calls, or where a falling term beside a growing
 * one hides such scatter. Returns 1, the row and its residual in units of the sheet; or
 * 0. */
int mm_outlier_find(struct mm_bench *bench, const struct mm_shortlist *list, size_t *row,
                    double *residual);

/* --- places.c ------------------------------------------------------------ */

#define MM_PLACES_KINDS (MM_FORM_TERMS + 4)

/* Distinct values of each axis (parameter) of a sheet in ascending order. */
struct mm_places {
    double *sorted[MONITOR_MAX_IN]; /* [distinct] values of each axis */
    size_t distinct[MONITOR_MAX_IN];
    double *memory;
};

/* Collect the values of a sheet. Returns 0 or -ENOMEM. Free with mm_places_done. */
int mm_places_init(struct mm_places *places, const struct mm_sheet *sheet);
void mm_places_done(struct mm_places *places);
/* The position at `part`, 0 to 1, of the gap from `low` to `high`; on a logarithmic scale
 * if both are positive. */
double mm_place_between(double low, double high, double part);
/* List the shapes of slopes after a hinge on `axis` in the formula `lead`: the shapes of
 * its terms of this axis alone; lines, squares and roots at a price. Returns their
 * number; kind and price: [MM_PLACES_KINDS]. */
size_t mm_place_kinds(const struct mm_sheet *sheet, const struct mm_candidate *lead,
                      const struct mm_axis *axis, struct mm_factor *kind, double *price);

/* --- powers.c ------------------------------------------------------------ */

/* Add to `list` those products of powers, with and without a constant, that may be good
 * enough. Their exponents are fitted and lie between -2 and `max_power`. */
void mm_powers_search(struct mm_bench *bench, double max_power,
                      struct mm_shortlist *list);

/* --- products.c ---------------------------------------------------------- */

struct mm_products {
    const struct mm_pool *columns; /* columns of terms; borrowed */
    const struct mm_sheet *sheet;
    int constant;
    size_t count, rows;
    double *z, *y; /* columns and costs, weighted; if `constant`, without their components
                      along the constant */
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

/* --- rivals.c ------------------------------------------------------------ */

/* Fit the candidates of `list` with the weights of `sheet` and set `forms`: the best one,
 * and the best of the candidates that predict other costs beyond the sizes. A candidate
 * that grows like an earlier form adds its weight to that form. For a sheet without rows,
 * or an empty list, the form is a constant. Returns 0 or -ENOMEM. */
int mm_rivals_set(struct mm_sheet *sheet, struct mm_shortlist *list,
                  struct mm_forms *forms);

#endif
