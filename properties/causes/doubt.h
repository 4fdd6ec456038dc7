/* SPDX-License-Identifier: BSD-3-Clause */
/* doubt.h: how sure answers are, from the evidence that the runs give. */
#ifndef PROPERTIES_CAUSES_DOUBT_H
#define PROPERTIES_CAUSES_DOUBT_H

#include "properties/evaluate/evaluate.h"

struct mm_doubt;

/* For questions about the runs of `question`, in any property. `store` must stay. Regions
 * whose share of the basis is below `least_share` are not asked within a run. 0; -EINVAL,
 * -EIO, -ENOMEM with `err`. */
int mm_doubt_new(struct mm_doubt **doubt, struct mm_store *store,
                 const struct mm_property_question *question, double threshold,
                 double least_share, struct cca_error *err);
void mm_doubt_free(struct mm_doubt *doubt);

/* Fill confidence, low, high and how of answers that mm_property_evaluate gave for
 * `property` and `question`; severities are corrected for what noise adds to maxima.
 *
 * Answers to one question of several runs of one configuration become one, that of the
 * first: repeats are the best evidence. Else the batches within the run, or the samples
 * of messages. Where nothing is known, confidence stays NaN and `reason` says why, also
 * of answers that were evaluated. A confidence that the property itself states is kept.
 * 0; as mm_property_evaluate. */
int mm_answers_doubt(struct mm_property_answers *answers, struct mm_doubt *doubt,
                     const struct mm_property *property,
                     const struct mm_property_question *question, struct cca_error *err);

#endif
