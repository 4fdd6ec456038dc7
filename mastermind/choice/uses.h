/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.h: set-up, which is paid once, and the cost of each use; the number of uses from
 * which on a value costs less than another.
 *
 *   cost of a run with k uses = set-up + k * each use */
#ifndef MASTERMIND_CHOICE_USES_H
#define MASTERMIND_CHOICE_USES_H

#include <stddef.h>

/* A measured or predicted cost of runs with a number of uses. */
struct mm_use_point {
    double uses, cost, sd; /* sd: standard deviation of `cost`, > 0 */
};

struct mm_use_line {
    double setup, use;                     /* estimates; noise may make one negative */
    double setup_var, use_var, covariance; /* of the estimates */
    double freedom; /* degrees of freedom of the points' deviations; INFINITY: known */
    double misfit;  /* probability that a line misses the points by as much or more; NaN:
                     * two points, which any line fits */
    double largest; /* largest relative distance of a point from the line */
};

/* Fit a line by least squares, with the weights 1 / sd^2. `freedom`: degrees of freedom
 * of the standard deviations, or INFINITY. Where points are farther from the line than
 * their deviations explain, the variances grow by the ratio. Returns 0, or -ENODATA:
 * fewer than two numbers of uses. */
int mm_use_line_fit(const struct mm_use_point *points, size_t count, double freedom,
                    struct mm_use_line *line);
/* Cost of a run with `uses` uses, and its standard deviation. */
double mm_use_line_at(const struct mm_use_line *line, double uses, double *sd);

struct mm_break_even {
    double uses;      /* number of uses at which both cost the same */
    double low, high; /* interval: all numbers of uses at which the costs cannot be
                       * distinguished (Fieller, Biometrika 24, 1932); `high` may be
                       * INFINITY */
};

/* Find from which number of uses on `many` costs less than `few`. Returns 0; -ENODATA:
 * a use of `many` does not cost less, by the estimates. */
int mm_use_break_even(const struct mm_use_line *few, const struct mm_use_line *many,
                      double level, struct mm_break_even *even);

#endif
