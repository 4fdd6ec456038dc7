/* SPDX-License-Identifier: BSD-3-Clause */
/* lead.h: a formula to which many single columns are added for trial. It keeps an
 * orthonormal basis of its columns, and its residuals. */
#ifndef MASTERMIND_COST_SEARCH_LEAD_H
#define MASTERMIND_COST_SEARCH_LEAD_H

#include "mastermind/cost/search/judge.h"

struct mm_lead {
    const struct mm_sheet *sheet;         /* costs and weights of the sizes; borrowed */
    const struct mm_candidate *candidate; /* the formula; borrowed until the next
                                             mm_lead_set */
    double *q;      /* [candidate->count][rows] orthonormal columns */
    double *rest;   /* [rows] weighted residuals of the formula */
    double squares; /* sum of the squared residuals */
    double *column; /* [rows] values of the additional column,
                       weighted */
    double *memory;
};

/* Allocate memory for a lead. Returns 0 or -ENOMEM. Free with mm_lead_done. */
int mm_lead_init(struct mm_lead *lead, const struct mm_sheet *sheet);
void mm_lead_done(struct mm_lead *lead);
/* Set the formula. False where its columns are linearly dependent. */
int mm_lead_set(struct mm_lead *lead, const struct mm_candidate *candidate);
/* Weighted sum of squared residuals of the formula with lead->column added; `*slope` gets
 * the coefficient of that column. INFINITY where the column depends on the lead. */
double mm_lead_rest(const struct mm_lead *lead, double *slope);

#endif
