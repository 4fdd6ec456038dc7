/* SPDX-License-Identifier: BSD-3-Clause */
/* trend.h: fitted scaling functions with scatter: products of powers, and sums of a few
 * terms. */
#ifndef MASTERMIND_COUNTS_LAWS_TREND_H
#define MASTERMIND_COUNTS_LAWS_TREND_H

#include "mastermind/counts/laws/parts.h"

#define MM_LAW_MEMBERS 8
#define MM_LAW_SUM_TERMS 3 /* largest number of terms of a sum that is a trend */

/* The effect of a variable v on a product. */
enum mm_law_shape {
    MM_LAW_POWER,    /* v^a */
    MM_LAW_SLOW,     /* (log2 v)^a: grows more slowly than any power */
    MM_LAW_LEVELLED, /* exp(a/v): approaches a limit */
    MM_LAW_SHAPES
};

#define MM_LAW_FIXED 6

/* A fitted form. With `is_sum` a sum of products with coefficients `a`; else a product:
 * log y = a[0] + a[1] f1(v[1]) + ... + log w[0] + ..., where each f is a shape and each w
 * has the power 1, or 2 if it is listed twice. */
struct mm_law_member {
    int is_sum;
    struct mm_basis basis[MM_LAW_TERMS];   /* terms, if the member is a sum */
    size_t variable[MM_LAW_TERMS];         /* variables of a member that is a product;
                                              [0] is the constant */
    enum mm_law_shape shape[MM_LAW_TERMS]; /* shapes of the variables of a product */
    size_t columns;
    size_t fixed[MM_LAW_FIXED], fixed_count;
    double recency; /* a run's variance is proportional to (largest count / its
                       count)^recency */
    double a[MM_LAW_TERMS], cov[MM_LAW_TERMS][MM_LAW_TERMS];
    double variance; /* relative scatter of a run about the form */
    size_t freedom;  /* degrees of freedom: number of runs less numbers fitted */
    double ahead;    /* rms logarithmic error at larger runs when fitted to smaller ones,
                        over `tests` sizes */
    size_t tests;
    double score, weight;
};

struct mm_law_trend {
    /* members, the best first; their weights add up to 1 */
    struct mm_law_member member[MM_LAW_MEMBERS];
    size_t count;
    struct mm_law_member steep[MM_LAW_MEMBERS]; /* steep members, which need
                                                   confirmation */
    size_t steep_count;
    double level_ahead; /* `ahead` of a constant; infinite: unknown */
    double power_ahead; /* `ahead` of the best power of one axis, which is no choice among
                           many forms; infinite: not known */
    int is_positive;    /* true if the counts are positive in all runs, so members are
                           averaged as logarithms */
};

/* Insert a member into a list of at most `most` members, ascending by score. */
void mm_law_keep_member(struct mm_law_member *kept, size_t *count, size_t most,
                        const struct mm_law_member *member);
/* Offer a member that was judged at larger runs. Returns 1 for a steep one, which needs a
 * proof. */
int mm_law_trend_offer(struct mm_law_trend *trend, const struct mm_law_data *data,
                       const struct mm_law_member *member);
/* Offer products of up to three variables. Returns 0 or -ENOMEM. */
int mm_law_trend_products(struct mm_law_trend *trend, const struct mm_law_data *data);
/* Offer sums of up to MM_LAW_SUM_TERMS terms as members of the trend. */
int mm_law_trend_sums(struct mm_law_trend *trend, const struct mm_law_data *data,
                      const struct mm_law_gram *gram, const struct mm_law_subset *subset,
                      size_t count);
/* True for a member whose power of mesh extents exceeds their number, or their number
 * plus one if it has no exogenous count such as the number of steps. Axes that grow in
 * step count as several extents. */
int mm_law_member_is_steep(const struct mm_law_data *data,
                           const struct mm_law_member *member);
/* True if the error `ahead` at larger runs is far below the errors of plainer forms. */
int mm_law_wins_by_far(double ahead, double plain);
/* Add the steep members of the trend that larger runs confirm. */
void mm_law_trend_prove(struct mm_law_trend *trend);
void mm_law_trend_end(struct mm_law_trend *trend);
/* Value of the trend at `variables`, and its interval. Returns 0; -ERANGE: no value. */
int mm_law_trend_value(const struct mm_law_trend *trend, const double *variables,
                       struct mm_law_number *number);

/* Value of a variable's shape, as a term of a product's logarithm. */
double mm_law_shape_value(enum mm_law_shape shape, double v);

#endif
