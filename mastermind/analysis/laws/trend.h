/* SPDX-License-Identifier: BSD-3-Clause */
/* trend.h: laws that runs scatter about: products of powers, and sums of a few terms. */
#ifndef MASTERMIND_ANALYSIS_LAWS_TREND_H
#define MASTERMIND_ANALYSIS_LAWS_TREND_H

#include "mastermind/analysis/laws/subset.h"

#define MM_LAW_MEMBERS 8

/* A form, fitted. With is_sum it is a sum of products with the coefficients a; else a
 * product: log y = a[0] + a[1] log v[1] + ... + log w[1] + ... where the v have powers
 * that are fitted and the w have the power 1. */
struct mm_law_member {
    int is_sum;
    struct mm_basis basis[MM_LAW_TERMS]; /* of a sum */
    size_t variable[MM_LAW_TERMS];       /* of a product; [0] is the constant */
    size_t columns;
    size_t fixed[MM_LAW_TERMS], fixed_count; /* variables of power 1 */
    double a[MM_LAW_TERMS], cov[MM_LAW_TERMS][MM_LAW_TERMS];
    double variance; /* of a run about the form, relative */
    size_t freedom;  /* runs less numbers fitted */
    double score, weight;
};

struct mm_law_trend {
    struct mm_law_member member[MM_LAW_MEMBERS]; /* the best first; weights add up to 1 */
    size_t count;
    int is_positive; /* in all runs: members are averaged as logarithms */
};

/* Offer all products of up to three variables. Returns 0 or -ENOMEM. */
int mm_law_trend_products(struct mm_law_trend *trend, const struct mm_law_data *data);
/* Offer sums of terms. */
int mm_law_trend_sums(struct mm_law_trend *trend, const struct mm_law_data *data,
                      const struct mm_law_gram *gram, const struct mm_law_subset *subset,
                      size_t count);
void mm_law_trend_end(struct mm_law_trend *trend);
/* Value at `variables`, and the ends of its interval. Returns 0, -ERANGE where it has
 * none. */
int mm_law_trend_value(const struct mm_law_trend *trend, const double *variables,
                       struct mm_law_number *number);

#endif
