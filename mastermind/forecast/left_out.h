/* SPDX-License-Identifier: BSD-3-Clause */
/* left_out.h: the extrapolation error of a model, by cross-validation: a model is fitted
 * without the largest sizes and predicts these.
 *
 * Beyond its sizes a model's interval contains all forms that the sizes cannot
 * distinguish, and may be far wider than the actual errors, which this trial measures. */
#ifndef MASTERMIND_FORECAST_LEFT_OUT_H
#define MASTERMIND_FORECAST_LEFT_OUT_H

#include "mastermind/forecast/cost.h"

/* Relative error for each unit of log(factor beyond the sizes) of a parameter; NaN: too
 * few sizes for the trial. Returns 0, or -ENOMEM with `err`. */
int mm_left_out_slope(struct mm_forecaster *forecaster,
                      const struct mm_cell_source *source, size_t parameter,
                      double *slope, struct cca_error *err);

#endif
