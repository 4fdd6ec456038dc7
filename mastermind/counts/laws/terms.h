/* SPDX-License-Identifier: BSD-3-Clause */
/* terms.h: the candidate terms of scaling functions, each with its price. */
#ifndef MASTERMIND_COUNTS_LAWS_TERMS_H
#define MASTERMIND_COUNTS_LAWS_TERMS_H

#include "mastermind/counts/laws/data.h"
#include "mastermind/cost/forms/basis.h"

/* A product of powers of variables and a logarithm; factor[].parameter is the variable.
 */
struct mm_law_term {
    struct mm_basis basis;
    double bits;    /* description length of the term, in bits */
    double rank;    /* description length without the choice of variables */
    double degree;  /* sum of the powers of parameters in the term */
    int has_driver; /* 1: an exogenous count is among the variables */
    int is_smooth;  /* 1: the term uses only axes, ceilings, powers of two and
                       minima */
    int is_trend;   /* 1: a trend may use the term: it is smooth, and any exogenous count
                       has the power 1 */
    int is_alone;   /* 1: the term is a sum over pieces */
    int is_powers;  /* 1: the term uses only axes: no ceilings, minima etc. */
    const double *value; /* [runs] value of the term in each run */
    size_t next;         /* next term proportional to this one in all runs; 0: none */
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

#endif
