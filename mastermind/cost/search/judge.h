/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.h: the score of a formula, which is the criterion of the search, and the list of
 * the best.
 *
 * The score is -2 log likelihood of the residuals at left-out sizes, whose variance is at
 * least that known from the calls, plus log(sizes) for each fitted number, plus the price
 * of the formula. Less is better; a difference of 2 is a factor e in odds. */
#ifndef MASTERMIND_COST_SEARCH_JUDGE_H
#define MASTERMIND_COST_SEARCH_JUDGE_H

#include "mastermind/cost/forms/fit.h"
#include "mastermind/cost/search/sheet.h"

#define MM_SHORTLIST 30
/* forms whose score exceeds the score of the best form by more are dropped */
#define MM_WINDOW 8.

struct mm_candidate {
    struct mm_basis basis[MM_FORM_TERMS]; /* basis functions of the candidate; a
                                             constant comes last */
    size_t count;
    size_t places; /* count of fitted numbers beside the coefficients: positions of
                      breaks, exponents */
    double price, score;
};

struct mm_shortlist {
    struct mm_candidate item[MM_SHORTLIST]; /* candidates in no order */
    size_t count, capacity;
    double window;      /* candidates whose score exceeds the best one's by more are
                           useless */
    size_t best, worst; /* indexes of the best and the worst candidate, if the list is
                           not empty */
};

/* Scratch memory for fits on a sheet. */
struct mm_bench {
    const struct mm_sheet *sheet;
    double *column[MM_FORM_TERMS]; /* [rows] each: values of the bases in held[] */
    struct mm_basis held[MM_FORM_TERMS];
    int holds[MM_FORM_TERMS]; /* 1: column k has the values of held[k]; 0: it must be
                                 recomputed */
    double *fitted, *loo, *work;
    double *memory;
};

int mm_bench_init(struct mm_bench *bench, const struct mm_sheet *sheet);
void mm_bench_done(struct mm_bench *bench);

/* The score of a formula with `numbers` fitted numbers, from its weighted sum of squared
 * left-out residuals; from the sum of ordinary residuals, a lower bound of the score. */
double mm_judge_score(const struct mm_sheet *sheet, double press, size_t numbers,
                      double price);
/* True where a formula with so many fitted numbers would not beat the best of the list
 * even if only the noise of the calls remained. */
int mm_judge_hopeless(const struct mm_sheet *sheet, const struct mm_shortlist *list,
                      size_t numbers, double price);
/* The weighted sum of squares at which a formula's score is `score`. */
double mm_judge_press_limit(const struct mm_sheet *sheet, double score, size_t numbers,
                            double price);
/* Empty the list of candidates. */
void mm_shortlist_clear(struct mm_shortlist *list, size_t capacity, double window);
/* The score from which on a formula is useless. */
double mm_shortlist_limit(const struct mm_shortlist *list);
/* Add a candidate with a score to the list, if it is good enough. */
void mm_shortlist_add(struct mm_shortlist *list, const struct mm_candidate *candidate);
/* Find the list's best and worst candidates again after scores have changed. */
void mm_shortlist_rank(struct mm_shortlist *list);
/* Write the indexes of the list's candidates to order[list->count], the best first. */
void mm_shortlist_order(const struct mm_shortlist *list, size_t *order);

/* Fit the candidate to bench->sheet and set its score; INFINITY where it is no valid
 * cost: a coefficient has a sign that is not allowed, or a cost is not positive at a
 * size. `bench` then holds its columns, fitted values and left-out residuals. Returns 0;
 * -EDOM: no fit exists. */
int mm_judge_fit(struct mm_bench *bench, struct mm_candidate *candidate,
                 struct mm_fit *fit);
/* Estimate the relative scatter of sizes about a fitted candidate beyond the noise of
 * their calls. */
double mm_judge_tau(struct mm_bench *bench, const struct mm_candidate *candidate);

#endif
