/* SPDX-License-Identifier: BSD-3-Clause */
/* terms.h: the terms that laws are sums of, each with its price. */
#ifndef MASTERMIND_COUNTS_LAWS_TERMS_H
#define MASTERMIND_COUNTS_LAWS_TERMS_H

#include "mastermind/counts/laws/data.h"
#include "mastermind/cost/forms/basis.h"

/* A product of powers of variables and a logarithm; factor[].parameter is the variable.
 */
struct mm_law_term {
    struct mm_basis basis;
    double bits;         /* length of its description */
    double rank;         /* like it, but for the choice of variables */
    double degree;       /* powers of parameters, added up */
    int has_driver;      /* a driver is among the variables */
    int is_smooth;       /* of axes, ceilings, powers of two and the smaller of two */
    int is_trend;        /* smooth, and drivers have the power 1 */
    int is_alone;        /* a sum over pieces */
    int is_powers;       /* of axes only: no ceilings and the like */
    const double *value; /* [runs] */
    size_t next;         /* the next term proportional to it in all runs; 0: none */
};

struct mm_law_terms {
    struct mm_law_term *term; /* owned; by rank, the constant first */
    size_t count;
    double *value; /* [count][runs], owned */
    size_t *first; /* owned; the terms that are not proportional to one before them */
    size_t firsts;
};

/* The terms that have a finite value at each run. Returns 0 or -ENOMEM. */
int mm_law_terms_init(struct mm_law_terms *terms, const struct mm_law_data *data);
void mm_law_terms_done(struct mm_law_terms *terms);

#endif
