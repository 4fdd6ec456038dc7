/* SPDX-License-Identifier: BSD-3-Clause */
/* doubt.h: confidence of answers, from the evidence in the runs. */
#ifndef PROPERTIES_CAUSES_DOUBT_H
#define PROPERTIES_CAUSES_DOUBT_H

#include "properties/evaluate/evaluate.h"

struct mm_doubt;

/* Make a doubt: it computes confidences for any property, for the runs of `question`.
 * `store` must outlive it. Regions whose share of the basis is below `least_share` get no
 * replicates. Returns 0; -EINVAL, -EIO, -ENOMEM with `err`. */
int mm_doubt_new(struct mm_doubt **doubt, struct mm_store *store,
                 const struct mm_property_question *question, double threshold,
                 double least_share, struct cca_error *err);
void mm_doubt_free(struct mm_doubt *doubt);

/* Set confidence, low, high and how of answers that mm_property_evaluate returned for
 * `property` and `question`; severities are corrected for the bias of maxima under noise.
 *
 * Answers to one question from several runs of one configuration are merged into the
 * first one: repeats are the best evidence. Without repeats the evidence is the batches
 * within the run, or the samples of messages. If nothing is known, confidence stays NaN
 * and `reason` has the cause, also in answers that were evaluated. A confidence that the
 * property itself states is kept. Returns 0, or an error of mm_property_evaluate. */
int mm_answers_doubt(struct mm_property_answers *answers, struct mm_doubt *doubt,
                     const struct mm_property *property,
                     const struct mm_property_question *question, struct cca_error *err);

#endif
