/* SPDX-License-Identifier: BSD-3-Clause */
/* left_out.h: how wrong a model's search is beyond its sizes, by a trial: fitted without
 * the largest sizes, it is asked for these.
 *
 * The interval of a model beyond its sizes has all forms that the sizes cannot tell
 * apart, and may be far wider than such forms ever are off. The trial tells what they
 * are. */
#ifndef MASTERMIND_FORECAST_LEFT_OUT_H
#define MASTERMIND_FORECAST_LEFT_OUT_H

#include "mastermind/forecast/cost.h"

/* Relative error for each unit of log(how far beyond in a parameter); NaN: there are too
 * few sizes for the trial. 0, or -ENOMEM with `err`. */
int mm_left_out_slope(struct mm_forecaster *forecaster,
                      const struct mm_cell_source *source, size_t parameter,
                      double *slope, struct cca_error *err);

#endif
