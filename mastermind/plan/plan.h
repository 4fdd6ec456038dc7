/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h: choose the runs of a sweep and their order, so that the sweep is informative if
 * it is stopped at any time; and estimate the other runs from the completed ones.
 *
 * The planner uses only axes and positions of values: no files, no processes, no clock.
 * Its caller gives a meaning to axes (variables, classes, numbers of ranks) and to runs.
 *
 *   axes ─▶ points (full grid, or design) ─▶ runs in an order ─▶ times ─▶ advice
 *
 * Points. If the full grid has at most `grid_limit` points, all of them are used. Else
 * the design has two parts:
 * - main lines: the middle value of every axis of numbers and the first name of every
 * axis of names make the base point; each other value of an axis occurs in one point,
 * with the base point's values on the other axes;
 * - crossings: all pairs of coarse values of any two axes occur. Coarse values are the
 * least, the middle and the greatest number of an axis of numbers, and all names of an
 * axis of names. Points are added one by one, each with as many new pairs as can be found
 * (Cohen, Dalal, Fredman, Patton, The AETG system, IEEE TSE 23, 1997); of equal points
 * the one farthest from all points so far is taken (Johnson, Moore, Ylvisaker, Minimax
 * and maximin distance designs, J. Stat. Plan. Inference 26, 1990).
 *
 * Order. Runs come in rounds: round r has the r-th repeat of every point, so a host that
 * drifts changes all points alike. In the first round, new values come as early as
 * possible, then new pairs of values, then points far from the others. The other rounds
 * are shuffled. For each round several orders are tried, and the order whose positions
 * correlate least with any axis is used (Daniel and Wilcoxon, Factorial 2^(p-q) plans
 * robust against linear and quadratic trends, Technometrics 8, 1966). The same request
 * always gives the same plan, on any machine. */
#ifndef MASTERMIND_PLAN_PLAN_H
#define MASTERMIND_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum {
    MM_PLAN_AXES = 64,      /* largest number of axes of a plan */
    MM_PLAN_VALUES = 2048,  /* largest number of values of all axes together */
    MM_PLAN_POINTS = 20000, /* largest number of points of a plan */
    MM_PLAN_RUNS = 200000   /* largest number of runs of a plan */
};

/* A quantity that varies between the runs of a plan. */
struct mm_plan_axis {
    size_t count;          /* number of values, at least 1 */
    const double *numbers; /* [count] values, ascending; NULL: the values are names */
};

struct mm_plan_request {
    const struct mm_plan_axis *axes; /* [axis_count] quantities that vary */
    size_t axis_count;               /* number of axes; 0: the plan has one point */
    size_t repeats;                  /* number of runs of each point, at least 1 */
    size_t grid_limit;               /* limit of the size of a full grid, see "Points"
                                        above */
    uint64_t seed;
};

struct mm_plan_run {
    size_t point, repeat; /* index of the point and number of its run, both from 0 */
};

struct mm_plan {
    struct mm_plan_axis *axes; /* copies of the request's axes */
    size_t axis_count, repeats;
    double grid_points; /* number of points of the full grid */
    int is_grid;
    /* [point_count][axis_count] points: for each axis the index of a value */
    size_t *values;
    size_t point_count;
    struct mm_plan_run *runs; /* [run_count] runs in the planned order */
    size_t run_count;
    /* number of points in the main lines of a design; these points come first */
    size_t main_points;
};

/* Return a new plan, or NULL with `err`: -EINVAL: an invalid request; -E2BIG: the plan
 * would exceed MM_PLAN_AXES or another limit; or -ENOMEM. */
struct mm_plan *mm_plan_new(const struct mm_plan_request *request, struct cca_error *err);
void mm_plan_free(struct mm_plan *plan);

/* Return the index of a point's value on an axis. */
static inline size_t mm_plan_value(const struct mm_plan *plan, size_t point, size_t axis)
{
    return plan->values[point * plan->axis_count + axis];
}

/* True if a value of `axis` is used in the crossings of a design. */
int mm_plan_is_coarse(const struct mm_plan_axis *axis, size_t value);

/* Estimate the time of one run of every point from the completed runs.
 *
 *   seconds  in   [run_count] times of the runs, > 0; NAN: the run is not completed
 *   points   out  [point_count] seconds: the mean of the point's completed runs; for a
 *                 point without any, a fit of the logarithm of time, linear in the
 *                 logarithms of numbers (or in the numbers, if one is not positive), with
 *                 a term for each name; NAN: no run is completed
 *
 * Returns 0 or -ENOMEM. */
int mm_plan_estimate(const struct mm_plan *plan, const double *seconds, double *points);

/* Return the index of the next run: the first run in order that is not `closed`, and
 * whose estimated time, if known, is at most `left` seconds (INFINITY: no limit);
 * `run_count` if there is none. */
size_t mm_plan_next(const struct mm_plan *plan, const unsigned char *closed,
                    const double *points, double left);

/* Return the relative standard deviation of runs of the same point, pooled over all
 * points, and its degrees of freedom; NAN and 0: no point has two completed runs. */
double mm_plan_spread(const struct mm_plan *plan, const double *seconds, size_t *freedom);

/* The run that would improve the estimates most. */
struct mm_plan_advice {
    /* point of the run: for each axis the index of a value; the point may be outside the
     * plan */
    size_t values[MM_PLAN_AXES];
    size_t made; /* number of completed runs of this point */
    /* share by which the run would reduce the mean variance of the estimates over the
     * plan's points */
    double gain;
};

/* Find the run that reduces the mean variance of the fit (see mm_plan_estimate) over all
 * points most: among points of the plan and, for a design, points of the grid. The noise
 * between equal runs and the misfit of the formula are distinguished, so that points with
 * well-known times are not repeated. Returns 0; -ENODATA: fewer than two completed runs;
 * -ENOMEM. */
int mm_plan_advise(const struct mm_plan *plan, const double *seconds,
                   struct mm_plan_advice *advice);

/* A race between the values of some axes: which costs least, for each combination of
 * values of the other axes (a context)? */
struct mm_plan_race {
    const size_t *axes; /* [axis_count] indices of the axes whose values race */
    size_t axis_count;
    double within; /* a context is decided if its choice is expected to cost at most this
                    * share more than the best value */
};

struct mm_plan_decision {
    size_t next; /* index of the run to make; run_count: all contexts are decided, or
                  * their runs are all closed */
    size_t contexts, decided; /* number of contexts, and of the decided ones */
    double regret; /* largest expected share by which a choice costs more than the best
                    * value; NAN: a context has no completed run */
};

/* Find the next run of a race. mm_plan_know (parts.h) has the expected costs, so
 * that runs of all other points count, too. The next run is the one of the choice or of a
 * rival with the largest part in the expected regret for its time.
 *
 *   seconds  in   [run_count] times of the completed runs; NAN: none
 *   closed   in   [run_count] true: the run is completed or failed
 *   failed   in   [run_count] true: the run failed; its point cannot be chosen
 *   best     out  [point_count] for each point, the point chosen in its context;
 *                 point_count: none. NULL: not wanted
 *
 * Returns 0 or -ENOMEM. */
int mm_plan_race_next(const struct mm_plan *plan, const struct mm_plan_race *race,
                      const double *seconds, const unsigned char *closed,
                      const unsigned char *failed, struct mm_plan_decision *decision,
                      size_t *best);

#endif
