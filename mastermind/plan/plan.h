/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h: choose the runs of a sweep and their order, so that the sweep is informative if
 * it is stopped at any time; and estimate the other runs from the completed ones.
 *
 * The planner uses only axes and positions of values: no files, no processes, no clock.
 * Its caller gives a meaning to axes (variables, classes, numbers of ranks) and to runs.
 *
 *   axes ─▶ points (full grid, or design) ─▶ runs in an order ─▶ times ─▶ estimates,
 * advice
 *
 * Points. If the full grid has at most `grid_limit` points, it is taken. Else the design
 * has two parts:
 *  - main lines: the middle value of every axis of numbers and the first of every axis of
 *    names make the base; each other value of an axis stands once with the base's values
 *    of the other axes;
 *  - crossings: of each two axes all pairs of values occur, where the least, the middle
 *    and the greatest stand for an axis of numbers, and names for themselves. Points are
 *    added greedily, each covering as many new pairs as can be found (Cohen, Dalal,
 *    Fredman, Patton, The AETG system, IEEE TSE 23, 1997), and of equal ones the farthest
 *    from all points so far (Johnson, Moore, Ylvisaker, Minimax and maximin distance
 *    designs, J. Stat. Plan. Inference 26, 1990).
 *
 * Order. Runs come in rounds: round r has the r-th repeat of every point, so a host that
 * drifts changes all points alike. The first round shows new values as early as possible,
 * then new pairs of values, then far points. The others are shuffled. Each round is the
 * one of several tries whose positions correlate least with any axis (Daniel and
 * Wilcoxon, Factorial 2^(p-q) plans robust against linear and quadratic trends,
 * Technometrics 8, 1966). The same request always gives the same plan, on any machine. */
#ifndef MASTERMIND_PLAN_PLAN_H
#define MASTERMIND_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum {
    MM_PLAN_AXES = 64,      /* most axes of a plan */
    MM_PLAN_VALUES = 2048,  /* most values of all axes together */
    MM_PLAN_POINTS = 20000, /* most points of a plan */
    MM_PLAN_RUNS = 200000   /* most runs of a plan */
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
    struct mm_plan_axis *axes; /* copies of the request's */
    size_t axis_count, repeats;
    double grid_points; /* number of points of the full grid */
    int is_grid;
    size_t *values; /* [point_count][axis_count] values of the points as positions on
                       the axes */
    size_t point_count;
    struct mm_plan_run *runs; /* [run_count] runs in the planned order */
    size_t run_count;
    size_t main_points; /* number of points in the main lines of a design, which come
                           first */
};

/* Make a plan. New, or NULL with `err`: -EINVAL: an invalid request; -E2BIG: larger than
 * the limits above; -ENOMEM. */
struct mm_plan *mm_plan_new(const struct mm_plan_request *request, struct cca_error *err);
void mm_plan_free(struct mm_plan *plan);

/* Return the position of a point's value on an axis. */
static inline size_t mm_plan_value(const struct mm_plan *plan, size_t point, size_t axis)
{
    return plan->values[point * plan->axis_count + axis];
}

/* True if a value of `axis` is used in the crossings of a design. */
int mm_plan_is_coarse(const struct mm_plan_axis *axis, size_t value);

/* Estimate the time of one run of every point from the completed runs.
 *
 *   seconds   in   [run_count], > 0; NAN: not completed
 *   points    out  [point_count] seconds: the mean of its runs; for a point without runs
 *                  a fit of log time, linear in the logarithms of numbers (or in the
 *                  numbers, if one is not positive), with a term for each name; NAN: no
 *                  run is completed
 *
 * Returns 0 or -ENOMEM. */
int mm_plan_estimate(const struct mm_plan *plan, const double *seconds, double *points);

/* Return the next run: the first one in order that is not `closed` and whose estimate, if
 * known, is at most `left` seconds (INFINITY: no limit). run_count: none. */
size_t mm_plan_next(const struct mm_plan *plan, const unsigned char *closed,
                    const double *points, double left);

/* Relative standard deviation of runs of one point, pooled over all points, and its
 * degrees of freedom; NAN and 0: no point has two runs. */
double mm_plan_spread(const struct mm_plan *plan, const double *seconds, size_t *freedom);

/* The run that would improve the estimates most. */
struct mm_plan_advice {
    size_t values[MM_PLAN_AXES]; /* positions of the point on the axes; it may be
                                    outside the plan */
    size_t made;                 /* number of completed runs of this point */
    double gain; /* share by which the run would reduce the mean variance over the
                    points */
};

/* Find the run that reduces the mean variance of the fit (see mm_plan_estimate) over all
 * points most: among points of the plan and, for a design, points of the grid. Noise
 * between equal runs and the misfit of points are separate, so that well-known points are
 * not repeated. Returns 0; -ENODATA: fewer than two completed runs; -ENOMEM. */
int mm_plan_advise(const struct mm_plan *plan, const double *seconds,
                   struct mm_plan_advice *advice);

#endif
