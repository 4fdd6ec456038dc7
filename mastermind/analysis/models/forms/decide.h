/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.h: what to measure next, so that a model and its rivals part. */
#ifndef MASTERMIND_ANALYSIS_MODELS_FORMS_DECIDE_H
#define MASTERMIND_ANALYSIS_MODELS_FORMS_DECIDE_H

#include "mastermind/analysis/models/model.h"

struct mm_decision {
    const struct mm_form *rival; /* of model->forms; borrowed */
    double value;                /* its cost at the tuple asked for */
    double ratio;     /* to that of the best form; below 1: the rival is less */
    size_t parameter; /* index of the in-value to vary */
    double size;      /* its size that would decide */
};

/* Compare the best form of `model` with its rivals at the tuple `x`; the rival that
 * differs most, by more than a factor of `least`, is the answer. `size` is the smallest
 * one, from the sizes seen towards x, at which the two differ by so much more than the
 * scatter of sizes that a few calls there tell them apart; to one digit.
 *
 * Returns 1, or 0 where no rival differs so much. */
int mm_model_decide(const struct mm_model *model, const double *x, double least,
                    struct mm_decision *decision);
/* The tuple in the middle of the sizes seen, on a scale of ratios. */
void mm_model_middle(const struct mm_model *model, double *x);
/* The parameter that moves the cost most over the sizes seen; in_count: none does. */
size_t mm_model_leading(const struct mm_model *model);

#endif
