/* SPDX-License-Identifier: BSD-3-Clause */
/* terms.h: the candidate terms of laws, each with its price. */
#ifndef MASTERMIND_COUNTS_LAWS_TERMS_H
#define MASTERMIND_COUNTS_LAWS_TERMS_H

#include "mastermind/counts/laws/data.h"
#include "mastermind/cost/forms/basis.h"

/* A product of powers of variables and a logarithm; factor[].parameter is the variable.
 */
struct mm_law_term {
    struct mm_basis basis;
    double bits;         /* description length, bits */
    double rank;         /* description length without the choice of variables */
    double degree;       /* sum of the powers of parameters */
    int has_driver;      /* a driver is among the variables */
    int is_smooth;       /* uses only axes, ceilings, powers of two and minima */
    int is_trend;        /* smooth, and any driver has the power 1 */
    int is_alone;        /* a sum over pieces */
    int is_powers;       /* uses only axes: no ceilings, minima etc. */
    const double *value; /* [runs] */
    size_t next;         /* next term proportional to this one in all runs; 0: none */
};

struct mm_law_terms {
    struct mm_law_term *term; /* owned; by rank, the constant first */
    size_t count;
    double *value; /* [count][runs], owned */
    size_t *first; /* owned; terms not proportional to an earlier one */
    size_t firsts;
};

/* List the terms with a finite value at each run. Returns 0 or -ENOMEM. */
int mm_law_terms_init(struct mm_law_terms *terms, const struct mm_law_data *data);
void mm_law_terms_done(struct mm_law_terms *terms);

#endif
