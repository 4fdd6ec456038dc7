/* SPDX-License-Identifier: BSD-3-Clause */
/* lead.h: a formula to which one more column is tried many times: its columns as an
 * orthonormal base, and what they leave of the costs. */
#ifndef MASTERMIND_COST_SEARCH_LEAD_H
#define MASTERMIND_COST_SEARCH_LEAD_H

#include "mastermind/cost/search/judge.h"

struct mm_lead {
    const struct mm_sheet *sheet;         /* borrowed */
    const struct mm_candidate *candidate; /* borrowed until the next mm_lead_set */
    double *q;                            /* [candidate->count][rows] */
    double *rest;                         /* [rows] weighted residuals */
    double squares;                       /* of the residuals */
    double *column;                       /* [rows] the further column, weighted */
    double *memory;
};

/* 0 or -ENOMEM; mm_lead_done frees it. */
int mm_lead_init(struct mm_lead *lead, const struct mm_sheet *sheet);
void mm_lead_done(struct mm_lead *lead);
/* Take a candidate. False where its columns depend on each other. */
int mm_lead_set(struct mm_lead *lead, const struct mm_candidate *candidate);
/* Weighted squares that stay with lead->column; `*slope` is the column's coefficient.
 * INFINITY where the column depends on the lead. */
double mm_lead_rest(const struct mm_lead *lead, double *slope);

#endif
