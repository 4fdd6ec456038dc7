/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast.h: the cost of a run that never happened.
 *
 *   runs ─▶ structure: calls and sums of basis functions, laws of the run's parameters ─┐
 *     └───▶ library:   cost of one call, a function of its own parameters ─┴▶ T
 *
 *     T = sum over cells of r sum over k of a_k Phi_k
 *
 * with a_k the coefficients of the model of the class asked for, Phi_k the sum of its
 * k-th basis function over the calls of the cell (structure.h), and r what a call costs
 * in the mean over what it costs typically, by the calls that the runs have. A
 * method whose cost its parameters do not explain has a law of its mean cost in the run's
 * parameters.
 *
 * A forecaster is made once from runs and models, and then asked for many runs. */
#ifndef MASTERMIND_FORECAST_FORECAST_H
#define MASTERMIND_FORECAST_FORECAST_H

#include "mastermind/forecast/models/library.h"
#include "mastermind/counts/profile/stretch.h"
#include "mastermind/counts/structure.h"

#define MM_FORECAST_LEVEL .90 /* of all intervals here */

struct mm_forecaster;

/* A run to learn from; all borrowed for the life of the forecaster. */
struct mm_forecast_run {
    const char *name;
    const struct mm_run *run;
    const struct mm_profile *profile; /* of the metric; all ranks, or the busiest one */
    double total_ns; /* the quantity that is forecast; NaN: profile->dual->total_ns */
    /* On several ranks, where `profile` is the time outside MPI of the busiest rank: the
     * least time inside MPI of all ranks, and the excess of the busiest rank over it.
     * NaN: not measured, or one rank. */
    double transfer_ns, waiting_ns;
};

/* The measured time of a run: total_ns, or the profile's. */
double mm_forecast_run_total(const struct mm_forecast_run *run);

/* New, or NULL with `err`: -EINVAL fewer than one run; -ENODATA a run whose parameters
 * are not known (mm_run.is_known); -ENOMEM. The library has the models of the runs, and
 * may have more. */
struct mm_forecaster *mm_forecaster_new(const struct mm_forecast_run *runs, size_t count,
                                        const struct mm_library *library,
                                        struct cca_error *err);
void mm_forecaster_free(struct mm_forecaster *forecaster);
/* The parameters that a question gives values for. Borrowed. */
const struct mm_axes *mm_forecaster_axes(const struct mm_forecaster *forecaster);
struct mm_structure *mm_forecaster_structure(struct mm_forecaster *forecaster);

/* Why T may be another number. Halves of 90 % intervals, relative to T. */
struct mm_doubt {
    char name[160]; /* "between runs", "flux.flux.compute with EFMFlux",
                       "calls of rk2.integrator.advance" */
    double half;
};

/* Calls of one method by one caller, in one mode, on one level. */
struct mm_forecast_cell {
    size_t cell; /* of the structure */
    struct mm_amount calls;
    double cost_ns; /* NaN: not known */
    double own_ns;  /* half of an interval by the structure's laws, without drivers */
    double driver_ns[MM_DRIVERS];
    double model_ns;                      /* half of an interval by the cost model */
    const struct mm_model *model;         /* NULL: by its mean cost in each run */
    struct mm_amount sums[MM_FORM_TERMS]; /* of the model's basis functions */
    /* sum over k of a_k Phi_k as one quantity, where it has the cost because the sums
     * have no closed form; else zeros */
    struct mm_amount typical;
    double ratio; /* r: mean cost over typical one, of calls as those asked for */
    size_t sum_count;
    double beyond; /* 1: inside the sizes that the model has seen, else how far */
    const char *beyond_name;
    int cache; /* level of the first cache that data of such calls may leave; 0: none */
    double largest; /* of that parameter; NaN: not known */
};

/* One method of the run asked for. */
struct mm_forecast_part {
    size_t vertex;          /* of the structure's cells */
    const char *class_name; /* asked for */
    double calls, calls_low, calls_high;
    double cost_ns; /* exclusive; NaN: not known, see why */
    double half_ns; /* half of a 90 % interval, without how runs differ */
    double beyond;
    const char *beyond_name;
    char why[MM_LAW_TEXT];
    struct mm_forecast_cell *cells;
    size_t cell_count;
    double counted_ns, measured_ns; /* by mm_forecast_check; NaN: it had no such calls */
};

struct mm_forecast {
    struct mm_forecaster *by; /* the forecaster that made it: the given one, or the one of
                               * all levels together. Borrowed */
    struct mm_forecast_part *parts; /* descending by cost, unknown ones first */
    size_t part_count;
    size_t unknown; /* parts that are not known: total_ns is NaN */
    /* Of a run on several ranks, beside the parts, which are then the busiest rank's time
     * outside MPI; 0 of one rank. NaN and a reason: not known, and total_ns is NaN. */
    struct mm_amount transfer, waiting;
    int has_mpi;                      /* transfer and waiting are in the total */
    double total_ns, low_ns, high_ns; /* low, high NaN: no interval, see why */
    const char *why;                  /* why there is no interval, or NULL */
    struct mm_doubt *doubts;          /* descending */
    size_t doubt_count;
    double run_sd;         /* relative sd of equal runs; NaN: not known */
    struct mm_asked asked; /* owned here, its strings borrowed */
    struct mm_notes notes;
};

/* Forecast the run with these parameters.
 *
 *   text  in  [axes] the value of each axis of mm_forecaster_axes; those of an axis that
 *             is the same as another, or a name of runs, are not read. NULL: not given.
 *             Borrowed for the life of the forecast.
 *
 * New, or NULL with `err`: -ENODATA the runs do not tell what a value changes, as of a
 * parameter that did not vary; -ENOMEM. A part that is not known is not an error. */
struct mm_forecast *mm_forecast_new(struct mm_forecaster *forecaster,
                                    const char *const *text, struct cca_error *err);
void mm_forecast_free(struct mm_forecast *forecast);
/* Turn a forecast of own time into one of wall time, on a host that stretches runs so. */
void mm_forecast_stretch(struct mm_forecast *forecast, const struct mm_stretch *stretch);
/* Wall time of a run, from its own time. */
double mm_forecast_run_wall(const struct mm_forecast_run *run);

/* A forecast held against a run that happened: three errors, each a factor less 1. */
struct mm_forecast_errors {
    double measured_ns;
    double cost; /* models with the calls that were counted, against measured; of several
                    ranks without transfer and waiting */
    double structure; /* models with predicted calls against models with counted ones */
    double total;     /* predicted against measured */
    double transfer_ns, waiting_ns; /* measured; NaN: not */
};

/* Set the errors, and for each part the cost of its measured calls: by the models and as
 * measured. Unknown errors are NaN. */
void mm_forecast_check(const struct mm_forecaster *forecaster,
                       struct mm_forecast *forecast, const struct mm_forecast_run *run,
                       struct mm_forecast_errors *errors);

#endif
