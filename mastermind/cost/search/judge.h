/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.h: how good a formula is: the criterion of the search, and the list of the best.
 *
 * The criterion is -2 log likelihood of the residuals at left-out sizes, whose variance
 * is at least the one known from the calls, plus log(sizes) for each number that was
 * fitted, plus the price of the formula. Less is better; a difference of 2 is a factor e
 * of odds. */
#ifndef MASTERMIND_COST_SEARCH_JUDGE_H
#define MASTERMIND_COST_SEARCH_JUDGE_H

#include "mastermind/cost/forms/fit.h"
#include "mastermind/cost/search/sheet.h"

#define MM_SHORTLIST 30
#define MM_WINDOW 8. /* forms worse than the best by more are no rivals */

struct mm_candidate {
    struct mm_basis basis[MM_FORM_TERMS]; /* the constant, if there is one, comes last */
    size_t count;
    size_t places; /* numbers fitted beside the coefficients: places, free powers */
    double price, score;
};

struct mm_shortlist {
    struct mm_candidate item[MM_SHORTLIST]; /* in no order */
    size_t count, capacity;
    double window;      /* candidates worse than the best by more are of no use */
    size_t best, worst; /* of a list that is not empty */
};

/* Scratch memory for fits on a sheet. */
struct mm_bench {
    const struct mm_sheet *sheet;
    double *column[MM_FORM_TERMS]; /* [rows] each: the values of held[] */
    struct mm_basis held[MM_FORM_TERMS];
    int holds[MM_FORM_TERMS]; /* false: the column is to be filled anew */
    double *fitted, *loo, *work;
    double *memory;
};

int mm_bench_init(struct mm_bench *bench, const struct mm_sheet *sheet);
void mm_bench_done(struct mm_bench *bench);

/* The criterion of a formula with `numbers` fitted numbers, from its weighted sum of
 * squared residuals at left-out sizes; a lower bound of it from that of all sizes. */
double mm_judge_score(const struct mm_sheet *sheet, double press, size_t numbers,
                      double price);
/* True where a formula of so many numbers that left only the noise of the calls would be
 * no better than the best of the list: it is not worth to look for one. */
int mm_judge_hopeless(const struct mm_sheet *sheet, const struct mm_shortlist *list,
                      size_t numbers, double price);
/* The sum of squares at which the criterion is `score`. */
double mm_judge_press_limit(const struct mm_sheet *sheet, double score, size_t numbers,
                            double price);
/* Make a list empty. */
void mm_shortlist_clear(struct mm_shortlist *list, size_t capacity, double window);
/* Score above which a formula is of no use beside those in the list. */
double mm_shortlist_limit(const struct mm_shortlist *list);
/* Put a candidate with a score into the list, if it is good enough. */
void mm_shortlist_add(struct mm_shortlist *list, const struct mm_candidate *candidate);
/* Find the best and the worst anew after scores have changed. */
void mm_shortlist_rank(struct mm_shortlist *list);
/* Numbers of the items, order[list->count], the best first. */
void mm_shortlist_order(const struct mm_shortlist *list, size_t *order);

/* Fit the candidate to bench->sheet and set its score, INFINITY where it is no model of a
 * cost: a term that falls, or a cost that is not positive at a size. bench has the
 * columns, fitted values and left-out residuals then. Returns 0; -EDOM: no such fit. */
int mm_judge_fit(struct mm_bench *bench, struct mm_candidate *candidate,
                 struct mm_fit *fit);
/* Estimate by how much sizes scatter about a fitted candidate beyond the noise of their
 * calls; relative. */
double mm_judge_tau(struct mm_bench *bench, const struct mm_candidate *candidate);

#endif
