/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast.h: the cost of a run that has not been measured.
 *
 *   runs ─▶ structure: calls and sums, functions of the run's parameters ─┐
 *     └───▶ library:   cost of one call, a function of its parameters ────┴▶ T
 *
 *     T = sum over cells of r sum over k of a_k Phi_k
 *
 * where a_k are the coefficients of the model of the requested class, Phi_k is the sum of
 * its k-th basis function over the calls of the cell (structure.h), and r is the ratio of
 * mean to typical cost of the measured calls. If the parameters of a method do not
 * explain its cost, its mean cost gets a scaling function in the run's parameters.
 *
 * A forecaster is made once from runs and models, and forecasts many runs. */
#ifndef MASTERMIND_FORECAST_FORECAST_H
#define MASTERMIND_FORECAST_FORECAST_H

#include "mastermind/forecast/models/library.h"
#include "mastermind/counts/counts.h"

#define MM_FORECAST_LEVEL .90 /* probability of all intervals in this file */

struct mm_forecaster;

/* A measured run; all borrowed for the life of the forecaster. */
struct mm_forecast_run {
    const char *name;
    const struct mm_run *run;
    const struct mm_profile *profile; /* calls and times of the run for the metric; of
                                         all ranks, or of the busiest one */
    double total_ns; /* measured quantity to forecast; NaN: profile->dual->total_ns */
    /* With several ranks, `profile` is the time outside MPI of the busiest rank. Then
     * `transfer_ns` is the least time inside MPI of any rank, and `waiting_ns` the excess
     * of the busiest rank over it. NaN: not measured, or one rank. */
    double transfer_ns, waiting_ns;
};

/* The measured time of a run: its `total_ns`, or if that is NaN the total of its profile.
 */
double mm_forecast_run_total(const struct mm_forecast_run *run);

/* Make a forecaster. The result is new, or NULL with `err`: -EINVAL: no run; -ENODATA: a
 * run with unknown parameters (mm_run.is_known); -ENOMEM. The library has the models of
 * the runs, and may have more.
 */
struct mm_forecaster *mm_forecaster_new(const struct mm_forecast_run *runs, size_t count,
                                        const struct mm_library *library,
                                        struct cca_error *err);
void mm_forecaster_free(struct mm_forecaster *forecaster);
/* The parameters of runs for which a request gives values. Borrowed. */
const struct mm_axes *mm_forecaster_axes(const struct mm_forecaster *forecaster);
struct mm_structure *mm_forecaster_structure(struct mm_forecaster *forecaster);

/* A variance component of T, as half-width of a 90 % interval relative to T. */
struct mm_doubt {
    char name[160]; /* name of the source: "between runs", "flux.flux.compute with
                       EFMFlux", "calls of rk2.integrator.advance" */
    double half;
};

/* Calls of one method by one caller, in one mode, on one level. */
struct mm_forecast_cell {
    size_t cell; /* index of the cell in the structure */
    struct mm_amount calls;
    double cost_ns; /* cost of the calls; NaN: unknown */
    double own_ns;  /* half-width of the cost due to the structure's scaling functions,
                       without exogenous counts */
    double driver_ns[MM_DRIVERS];
    double model_ns;              /* half-width of the cost due to the cost
                                     model */
    const struct mm_model *model; /* cost model of a call; NULL: the cost comes from
                                     its mean in each run */
    struct mm_amount sums[MM_FORM_TERMS]; /* sums of the model's basis functions over
                                             the calls */
    /* sum over k of a_k Phi_k as one quantity, used if the sums have no closed form; else
     * zeroed */
    struct mm_amount typical;
    double ratio; /* r: ratio of mean to typical cost, for calls like the requested
                     ones */
    size_t sum_count;
    double beyond; /* 1 within the measured sizes of the model; else the factor beyond
                      them */
    const char *beyond_name;
    int cache;      /* level of the first cache that the data of such calls may exceed; 0:
                       none */
    double largest; /* largest measured value of the parameter that is farthest beyond;
                       NaN: unknown */
};

/* One method of the requested run. */
struct mm_forecast_part {
    size_t vertex;          /* index of the method in the structure's cells */
    const char *class_name; /* name of the requested class */
    double calls, calls_low, calls_high;
    double cost_ns; /* exclusive cost of the method; NaN: unknown, see `why` */
    double half_ns; /* half-width of a 90 % interval of the cost, without variation
                       between runs */
    double beyond;
    const char *beyond_name;
    char why[MM_LAW_TEXT];
    struct mm_forecast_cell *cells;
    size_t cell_count;
    /* cost of the calls of the run that mm_forecast_check got, by the models and as
     * measured; NaN: no such calls */
    double counted_ns, measured_ns;
};

struct mm_forecast {
    struct mm_forecaster *by; /* the forecaster used: the given one, or the forecaster
                                 with merged levels. Borrowed */
    struct mm_forecast_part *parts; /* methods, descending by cost, unknown ones first */
    size_t part_count;
    size_t unknown; /* number of unknown parts; if > 0, total_ns is NaN */
    /* Times of transfer and of waiting with several ranks, in addition to the parts,
     * which are then the busiest rank's time outside MPI; 0 with one rank. If unknown:
     * NaN with a reason, and `total_ns` is NaN. */
    struct mm_amount transfer, waiting;
    int has_mpi; /* true if times of transfer and waiting are in the
                    total */
    double total_ns, low_ns,
        high_ns;     /* forecast total and its interval; `low_ns` and `high_ns` are NaN if
                        there is no interval, see `why` */
    double fit_half; /* half-width of the logarithm of the total, 90 %, without variation
                        between runs */
    const char *why; /* reason why there is no interval, or NULL */
    struct mm_doubt *doubts; /* variance components, descending */
    size_t doubt_count;
    double run_sd;         /* relative standard deviation between equal runs; NaN:
                              unknown */
    struct mm_asked asked; /* the requested run; owned here, its strings borrowed */
    struct mm_notes notes;
};

/* Forecast the run with these parameters.
 *
 *   text  in  [axes] the value of each axis of mm_forecaster_axes; values of an axis that
 *             is the same as another, or a name of runs, are ignored. NULL: not given.
 *             Borrowed for the life of the forecast.
 *
 * The result is new, or NULL with `err`: -ENODATA: the effect of a value is unknown,
 * because, for example, the parameter did not vary in the runs; -ENOMEM. An unknown part
 * is not an error. */
struct mm_forecast *mm_forecast_new(struct mm_forecaster *forecaster,
                                    const char *const *text, struct cca_error *err);
void mm_forecast_free(struct mm_forecast *forecast);
/* Convert a forecast of own time to wall time, by the ratio of both on this host. */
void mm_forecast_stretch(struct mm_forecast *forecast, const struct mm_stretch *stretch);
/* Wall time of a measured run, computed from its own time. */
double mm_forecast_run_wall(const struct mm_forecast_run *run);

/* Set the 90 % interval of a part's cost, with the variation between runs and the limits
 * of the total; NaN: unknown. */
void mm_forecast_part_interval(const struct mm_forecast *forecast,
                               const struct mm_forecast_part *part, double *low,
                               double *high);

/* Errors of a forecast against a measured run; each is a factor minus 1. */
struct mm_forecast_errors {
    double measured_ns;
    double cost; /* error of the models' cost of the measured calls against the measured
                    cost; without transfer and waiting if there are several ranks */
    double structure; /* error of the models' cost of the predicted calls against their
                         cost of the measured calls */
    double total;     /* error of the predicted total against the measured one */
    double transfer_ns, waiting_ns; /* measured times of transfer and waiting; NaN: not
                                       measured */
};

/* Set the errors and, for each part, the cost of its measured calls: by the models and as
 * measured. Unknown errors are NaN. */
void mm_forecast_check(const struct mm_forecaster *forecaster,
                       struct mm_forecast *forecast, const struct mm_forecast_run *run,
                       struct mm_forecast_errors *errors);

/* A method and a change of its own cost. */
struct mm_change {
    const char *name;         /* name of the method; borrowed */
    double calls, calls_half; /* calls in the run of the forecast, and half of their 90 %
                                 interval */
    double cost_ns, half_ns;  /* exclusive cost, and half of its 90 % interval */
    double factor, call_ns; /* new cost as a factor, or of a call; the other one is NaN */
};

/* The own cost of a method with a change. */
double mm_change_cost(const struct mm_change *change);
/* Get the calls and cost of a part of a forecast, without a change: the factor is 1. */
void mm_change_of_part(struct mm_change *change, const struct mm_forecast *forecast,
                       const struct mm_forecast_part *part);

/* A run in which methods cost another amount. Counts stay. Where ranks wait for each
 * other, the slowest rank decides the compute time between two waits: the waiting by this
 * rule, as far as time inside MPI has room for it, follows; the rest stays. */
struct mm_what_if {
    double total_ns, low_ns, high_ns; /* the changed run; NaN: no interval */
    double change_ns, half_ns;        /* difference to the forecast, and half of its 90 %
                                         interval */
    double follows; /* share of the waiting of a run with a wait at the end of each phase
                       that the time inside MPI leaves room for; NaN: one rank */
    int busiest;    /* rank with most compute time after the change; -1: one rank */
};

/* Compute the run with `changes` from a forecast whose total is known. `phases` (or NULL:
 * one rank) belong to the forecast run; `methods` are the methods of their source.
 * Returns 0 or -ENOMEM. */
int mm_what_if(const struct mm_forecast *forecast, const struct mm_change *changes,
               size_t count, const struct mm_phases *phases,
               struct mm_method_info *const *methods, struct mm_what_if *found);

#endif
