/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h: one method of a prediction: as measured, as often as calls follow, or by the
 * models of a class. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_PART_H
#define MASTERMIND_FORECAST_COMPOSITE_PART_H

#include "mastermind/forecast/composite/flow/flow.h"
#include "mastermind/forecast/composite/predict.h"
#include "mastermind/forecast/composite/sum.h"

/* Predict vertex `vertex` of `base` with `class_name` in its place; NULL: it stays as it
 * was measured. With `check` by models alone, else sizes that the class was measured at
 * count with their means. Adds to `notes`. 0 or -ENOMEM. */
int mm_part_init(struct mm_part *part, const struct mm_profile *base,
                 const struct mm_library *library, const struct mm_flow *flow,
                 size_t vertex, const char *class_name, int check,
                 struct mm_notes *notes);

#endif
