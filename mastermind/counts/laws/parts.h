/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the laws share. */
#ifndef MASTERMIND_COUNTS_LAWS_PARTS_H
#define MASTERMIND_COUNTS_LAWS_PARTS_H

#include <stddef.h>

#include "mastermind/cost/cost.h"
#include "mastermind/counts/laws/data.h"

/* --- terms.c ------------------------------------------------------------- */

/* A product of powers of variables and a logarithm; factor[].parameter is the variable.
 */
struct mm_law_term {
    struct mm_basis basis;
    double bits;    /* description length of the term, in bits */
    double rank;    /* description length without the choice of variables */
    double degree;  /* sum of the powers of parameters in the term */
    int has_driver; /* true if an exogenous count is among the variables */
    int is_smooth;  /* true if the term uses only axes, ceilings, powers of two and
                       minima */
    int is_trend;   /* true if a trend may use the term: it is smooth, and any exogenous
                       count has the power 1 */
    int is_alone;   /* true if the term is a sum over the pieces of a cut rectangle
                       (MM_LAW_PIECES) */
    int is_powers;  /* true if the term uses only axes: no ceilings, minima etc. */
    const double *value; /* [runs] value of the term in each run */
    size_t next; /* index of the next term that is proportional to this one in all runs;
                    0: none */
};

struct mm_law_terms {
    struct mm_law_term *term; /* terms by rank, the constant first; owned */
    size_t count;
    double *value; /* [count][runs] values of the terms, owned */
    size_t *first; /* indexes of terms that are not proportional to an earlier term;
                      owned */
    size_t firsts;
};

/* List the terms with a finite value in each run. Returns 0 or -ENOMEM. */
int mm_law_terms_init(struct mm_law_terms *terms, const struct mm_law_data *data);
void mm_law_terms_done(struct mm_law_terms *terms);

/* --- exact.c ------------------------------------------------------------- */

#define MM_LAW_RIVALS 32

/* A form that equals the count of every run, as a sum over variables. */
struct mm_law_form {
    size_t driver;       /* index of the exogenous count that multiplies the
                            form; NO_AXIS: none */
    struct mm_form form; /* sum of variables' products; the constant is last */
    double bits;         /* length of the form's description, with its coefficients */
};

struct mm_law_exact {
    struct mm_law_form form[MM_LAW_RIVALS]; /* closed forms, the shortest first */
    size_t count;
    int incomplete; /* true if there are more competing forms than fit in `form` */
};

/* Find the sums of one to four terms that are exact and far shorter to describe than the
 * counts of all runs. Take the smallest number of terms with such a sum; return the
 * shortest sum first, then competing sums nearly as short. Returns 0 or -ENOMEM. */
int mm_law_exact_find(struct mm_law_exact *exact, const struct mm_law_data *data,
                      const struct mm_law_terms *terms);
double mm_law_form_value(const struct mm_law_form *form, const double *variables);

/* --- numbers ------------------------------------------------------------- */

/* Tuning constants of the search for scaling functions, and constants of
 * several files.
 *
 * Comments give the median error of whole runs (2.04 % unchanged) with half and with
 * double the number; bench/models/constants.md has all. Numbers of one file with a
 * smaller effect are beside their use. */

/* Highest rank of products listed as terms. Error of whole runs 2.20 % with half the
 * value, in 0.59 of the CPU time. */
#define MM_LAW_LAST_RANK 9
/* Number of powers, cheapest first, of each of three factors. Error of whole runs 2.20 %
 * with half the value. */
#define MM_LAW_TRIPLE_POWERS 3
/* Largest plausible exponent of a count. Error of whole runs 2.68 % with half the value.
 */
#define MM_LAW_STEEP 5
/* Price (penalty) of a fitted exponent. Error of whole runs 2.06 % with half, 2.34 % with
 * double the value. */
#define MM_LAW_PRICE_FREE 2
/* Price per bit of a sum's description. Error of whole runs 2.60 % with .4, 2.05 % with
 * .85. */
#define MM_LAW_PRICE_BIT .7
/* Least squared correlation of logarithms at which two parameters, or an exogenous count
 * and a parameter, vary in step: the runs cannot show which of them has a power. Half or
 * double the value changes nothing. */
#define MM_LAW_IN_STEP .98

/* --- subset.c ------------------------------------------------------------ */

#define MM_LAW_TERMS 4
#define MM_LAW_GRAM 140   /* largest number of candidate terms for trends that are sums */
#define MM_LAW_SUBSETS 40 /* number of sets kept for each number of terms */

struct mm_law_subset {
    size_t term[MM_LAW_TERMS]; /* indexes of the terms in the Gram matrix, ascending */
    size_t count;
    double left; /* share of the sum of squared relative counts that the best coefficients
                    leave unexplained */
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
