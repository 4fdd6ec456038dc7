/* SPDX-License-Identifier: BSD-3-Clause */
/* data.h: the different runs of a table, and the variables that forms of laws have. */
#ifndef MASTERMIND_COUNTS_LAWS_DATA_H
#define MASTERMIND_COUNTS_LAWS_DATA_H

#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/laws/variable.h"

#define MM_LAW_FACTORS 40    /* variables of which products are made, at most */
#define MM_LAW_VARIABLES 100 /* with those that are terms alone, at most */
/* Share of a unit vector, or of its square, that rounding leaves of it. */
#define MM_LAW_ROUNDING 1e-13

struct mm_law_data {
    char *name[MM_LAW_AXES]; /* owned */
    int is_driver[MM_LAW_AXES];
    int varies[MM_LAW_AXES];
    int is_positive[MM_LAW_AXES]; /* in all runs */
    int matters[MM_LAW_AXES];     /* 0: runs that differ in it alone have equal counts */
    int is_whole[MM_LAW_AXES];    /* a parameter, whole numbers from 0 in all runs */
    size_t axes;
    double *x;    /* [runs][axes], owned; sorted by size: the sum of the logarithms of
                     parameters */
    double *y;    /* [runs], owned */
    double *half; /* [runs], owned: half the difference of equal runs */
    size_t runs, disagreeing;
    int is_rounded;                                    /* of the table */
    struct mm_law_variable variable[MM_LAW_VARIABLES]; /* those that vary */
    size_t variables, factors; /* products have the first `factors` */
};

/* Returns 0, -ENOMEM, -E2BIG or -ENODATA; free `data` in any case. */
int mm_law_data_init(struct mm_law_data *data, const struct mm_law_table *table,
                     struct cca_error *err);
void mm_law_data_done(struct mm_law_data *data);
/* List the variables; called once, at the end of init. */
void mm_law_data_list(struct mm_law_data *data);
/* Values of the variables at `x` [axes]. */
void mm_law_data_variables(const struct mm_law_data *data, const double *x,
                           double *value);
/* Pieces of at most the size of axis b of axis a at `x`, if a was one piece in all runs;
 * else 1. */
double mm_law_data_new_pieces(const struct mm_law_data *data, size_t a, size_t b,
                              const double *x);
/* The weight of each of `runs` counts or costs `y`: relative to itself, but one below
 * 1 % of the largest weighs as if it were that share. */
void mm_law_weigh(const double *y, size_t runs, double *weight);
/* The run with the parameters and drivers `x`, or runs. */
size_t mm_law_data_find(const struct mm_law_data *data, const double *x);
/* The first parameter that is 0 at `x` and in no run, which may stand for "no bound";
 * axes: none. */
size_t mm_law_data_zero(const struct mm_law_data *data, const double *x);
/* The first parameter in which `x` leaves what the runs span together; axes: none. */
size_t mm_law_data_outside(const struct mm_law_data *data, const double *x);

#endif
