/* SPDX-License-Identifier: BSD-3-Clause */
/* subset.h: the sets of terms that fit the counts best, by number of terms. */
#ifndef MASTERMIND_COUNTS_LAWS_SUBSET_H
#define MASTERMIND_COUNTS_LAWS_SUBSET_H

#include <stddef.h>

#include "mastermind/counts/laws/terms.h"

#define MM_LAW_TERMS 4
#define MM_LAW_GRAM 140   /* most terms in a trend that is a sum */
#define MM_LAW_SUBSETS 40 /* number of sets kept for each number of terms */

struct mm_law_subset {
    size_t term[MM_LAW_TERMS]; /* indexes of the terms in the Gram matrix, ascending */
    size_t count;
    double left; /* share of the squared relative counts that no coefficients explain */
    double bits;
};

/* The Gram matrix of columns of relative values: each row is divided by its count. */
struct mm_law_gram {
    const struct mm_law_term *term[MM_LAW_GRAM]; /* borrowed; the cheapest terms, none
                                                    proportional to another */
    size_t count;
    double *product; /* [count][count] inner products of the columns, scaled to length
                        1; owned */
    double *target;  /* [count] inner products with the column of counts, scaled to
                        length 1; owned */
    double *weight;  /* [runs] weight 1 / count^2 of each run, owned */
    size_t runs;
};

int mm_law_gram_init(struct mm_law_gram *gram, const struct mm_law_data *data,
                     const struct mm_law_terms *terms);
void mm_law_gram_done(struct mm_law_gram *gram);
/* Find the best sets of `count` terms, the best first: all sets of one or two terms are
 * tried, larger ones extend `smaller` [smaller_count], the best with one term less.
 * Returns the number of sets in `best` [MM_LAW_SUBSETS]. */
size_t mm_law_subsets(const struct mm_law_gram *gram, size_t count,
                      const struct mm_law_subset *smaller, size_t smaller_count,
                      struct mm_law_subset *best);

#endif
