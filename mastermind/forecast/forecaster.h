/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.h: the state that all forecasts from the same runs share. */
#ifndef MASTERMIND_FORECAST_FORECASTER_H
#define MASTERMIND_FORECAST_FORECASTER_H

#include "mastermind/forecast/forecast.h"

/* The outcome of a trial of left_out.h. */
struct mm_left_out {
    const struct mm_model *model;
    size_t parameter;
    double slope;
};

struct mm_forecaster {
    struct mm_structure structure;
    const struct mm_library *library;
    struct mm_forecast_run *runs;       /* [count] */
    const struct mm_profile **profiles; /* [count] */
    size_t count;
    struct mm_forecaster *flat;   /* without levels, made when needed; NULL: not yet */
    struct mm_left_out *left_out; /* of left_out.h */
    size_t left_out_count;
};

/* How equal runs differ, relative: of runs on one rank, or on `several`, each by itself
 * where both ran, since ranks that wait for each other differ more. 0 or -ENOMEM. */
int mm_run_differences_fit(struct mm_run_sd *spread,
                           const struct mm_forecaster *forecaster, int several);

/* The class in the place of a vertex; NULL: the run asked for does not have it. */
const char *mm_forecast_class(const struct mm_forecaster *forecaster,
                              const struct mm_asked *asked, size_t vertex);

/* The same runs with all levels of a mesh together, for runs with more levels than any
 * had. Owned by the forecaster; NULL with `err`. */
struct mm_forecaster *mm_forecaster_flat(struct mm_forecaster *forecaster,
                                         struct cca_error *err);

#endif
