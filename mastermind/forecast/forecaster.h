/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.h: the state shared by all forecasts from the same runs. */
#ifndef MASTERMIND_FORECAST_FORECASTER_H
#define MASTERMIND_FORECAST_FORECASTER_H

#include "mastermind/forecast/forecast.h"

/* The extrapolation error of a model along a parameter, as mm_left_out_slope found it. */
struct mm_left_out {
    const struct mm_model *model;
    size_t parameter;
    double slope;
};

struct mm_forecaster {
    struct mm_structure structure;
    const struct mm_library *library;
    struct mm_forecast_run *runs;       /* [count] measured runs */
    const struct mm_profile **profiles; /* [count] profile of each run */
    size_t count;
    struct mm_forecaster *flat;   /* forecaster with merged mesh levels, made when
                                     needed; NULL: not yet */
    struct mm_left_out *left_out; /* extrapolation errors found so far */
    size_t left_out_count;
};

/* Estimate the relative variation between equal runs, separately for one rank and for
 * `several`, because ranks that wait for each other vary more. 0 or -ENOMEM. */
int mm_run_differences_fit(struct mm_run_sd *spread,
                           const struct mm_forecaster *forecaster, int several);

/* The requested class of a vertex (method of an instance); NULL: the requested run lacks
 * the instance. */
const char *mm_forecast_class(const struct mm_forecaster *forecaster,
                              const struct mm_asked *asked, size_t vertex);

/* A forecaster from the same runs with all mesh levels merged, for runs with more levels
 * than any measured run. Owned by the forecaster; NULL with `err`. */
struct mm_forecaster *mm_forecaster_flat(struct mm_forecaster *forecaster,
                                         struct cca_error *err);

#endif
