/* SPDX-License-Identifier: BSD-3-Clause */
/* trend.h: laws that runs scatter about: products of powers, and sums of a few terms. */
#ifndef MASTERMIND_COUNTS_LAWS_TREND_H
#define MASTERMIND_COUNTS_LAWS_TREND_H

#include "mastermind/counts/laws/subset.h"

#define MM_LAW_MEMBERS 8
#define MM_LAW_SUM_TERMS 3 /* of a sum that is a trend */

/* What a variable v does to a product. */
enum mm_law_shape {
    MM_LAW_POWER,    /* v^a */
    MM_LAW_SLOW,     /* (log2 v)^a: grows more slowly than any power */
    MM_LAW_LEVELLED, /* exp(a/v): comes to an end */
    MM_LAW_SHAPES
};

#define MM_LAW_FIXED 6

/* A form, fitted. With is_sum it is a sum of products with the coefficients a; else a
 * product: log y = a[0] + a[1] f1(v[1]) + ... + log w[0] + ... where the f are shapes,
 * and the w have the power 1; one that is there twice has the power 2. */
struct mm_law_member {
    int is_sum;
    struct mm_basis basis[MM_LAW_TERMS];   /* of a sum */
    size_t variable[MM_LAW_TERMS];         /* of a product; [0] is the constant */
    enum mm_law_shape shape[MM_LAW_TERMS]; /* of a product */
    size_t columns;
    size_t fixed[MM_LAW_FIXED], fixed_count;
    double
        recency; /* the variance of a run is as (the largest count / its count)^recency */
    double a[MM_LAW_TERMS], cov[MM_LAW_TERMS][MM_LAW_TERMS];
    double variance; /* of a run about the form, relative */
    size_t freedom;  /* runs less numbers fitted */
    double ahead;    /* rms of logarithms of what it is off at larger runs after smaller
                      * ones;    of `tests` sizes after which it was asked */
    size_t tests;
    double score, weight;
};

struct mm_law_trend {
    struct mm_law_member member[MM_LAW_MEMBERS]; /* the best first; weights add up to 1 */
    size_t count;
    struct mm_law_member steep[MM_LAW_MEMBERS]; /* those that have to be proven */
    size_t steep_count;
    double level_ahead; /* `ahead` of a constant; infinite: not known */
    double power_ahead; /* of the best power of one axis, which is no choice among many
                         * forms; infinite: not known */
    int is_positive;    /* in all runs: members are averaged as logarithms */
};

/* Keep the member in a list of at most `most` with the lowest scores, in their order. */
void mm_law_keep_member(struct mm_law_member *kept, size_t *count, size_t most,
                        const struct mm_law_member *member);
/* Offer a member that was judged at larger runs. Returns 1 for a steep one, which has to
 * be proven. */
int mm_law_trend_offer(struct mm_law_trend *trend, const struct mm_law_data *data,
                       const struct mm_law_member *member);
/* Offer products of up to three variables. Returns 0 or -ENOMEM. */
int mm_law_trend_products(struct mm_law_trend *trend, const struct mm_law_data *data);
/* Offer sums of terms. */
int mm_law_trend_sums(struct mm_law_trend *trend, const struct mm_law_data *data,
                      const struct mm_law_gram *gram, const struct mm_law_subset *subset,
                      size_t count);
/* True for a member with a power of the extents of a mesh above their number, or one more
 * where no driver, as the number of steps, is in it. Axes that grow in step count as
 * several extents. */
int mm_law_member_is_steep(const struct mm_law_data *data,
                           const struct mm_law_member *member);
/* True for `ahead` by far less than that of plainer forms. */
int mm_law_wins_by_far(double ahead, double plain);
/* Take the steep members that are proven. */
void mm_law_trend_prove(struct mm_law_trend *trend);
void mm_law_trend_end(struct mm_law_trend *trend);
/* Value at `variables`, and the ends of its interval. Returns 0, -ERANGE where it has
 * none. */
int mm_law_trend_value(const struct mm_law_trend *trend, const double *variables,
                       struct mm_law_number *number);

/* The shape of a value of a variable, as it is in the logarithm of a product. */
double mm_law_shape_value(enum mm_law_shape shape, double v);

#endif
