/* SPDX-License-Identifier: BSD-3-Clause */
/* left_out.h: the error of a model's search beyond its sizes, by cross-validation: it is
 * fitted without the largest sizes and predicts these.
 *
 * Beyond its sizes a model's interval contains all forms that the sizes cannot part, and
 * may be far wider than the errors of such forms. The trial measures those errors. */
#ifndef MASTERMIND_FORECAST_LEFT_OUT_H
#define MASTERMIND_FORECAST_LEFT_OUT_H

#include "mastermind/forecast/cost.h"

/* Relative error for each unit of log(how far beyond in a parameter); NaN: there are too
 * few sizes for the trial. 0, or -ENOMEM with `err`. */
int mm_left_out_slope(struct mm_forecaster *forecaster,
                      const struct mm_cell_source *source, size_t parameter,
                      double *slope, struct cca_error *err);

#endif
