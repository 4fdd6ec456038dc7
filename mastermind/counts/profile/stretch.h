/* SPDX-License-Identifier: BSD-3-Clause */
/* stretch.h: the ratio of a run's wall time to its own time on this host.
 *
 * Wall time is own time times a factor, the stretch; it is 1 if the host took no time.
 * Runs give its mean; its variation between runs, and between windows of one run, bounds
 * the stretch of the next run. On a host that takes much time the stretch also varies
 * more; so with few runs, a prior sd of a quarter of the mean (in logarithms) has the
 * weight of four runs. So intervals of wall time are wide on a disturbed host, and an
 * idle host adds nothing.
 *
 * For a cost of own time and its interval:
 *     mm_stretch_fit(&stretch, profiles, count);
 *     mm_stretch_apply(&stretch, &mean, &low, &high); */
#ifndef MASTERMIND_COUNTS_PROFILE_STRETCH_H
#define MASTERMIND_COUNTS_PROFILE_STRETCH_H

#include <stddef.h>
#include <stdint.h>

enum { MM_STRETCH_WINDOWS = 16 };

/* Wall time and own time of a run in windows of equal wall time, whose length doubles
 * when there are too many. Empty: all zero. */
struct mm_stretch_windows {
    double length_ns;
    size_t count;
    struct mm_stretch_window {
        double own_ns, host_ns;
    } items[MM_STRETCH_WINDOWS];
};

void mm_stretch_windows_add(struct mm_stretch_windows *windows, int64_t own_ns,
                            int64_t host_ns);

struct mm_stretch {
    double mean;      /* wall time / own time of all runs, >= 1 */
    double low, high; /* 90 % interval for one more run; >= 1 */
    double sd;        /* standard deviation of the ratio's logarithm between runs */
    double freedom;   /* degrees of freedom of the sd */
    size_t runs;      /* runs with a record of the host's time; 0: none, and all values
                         are 1 */
};

struct mm_profile;

/* Fit the stretch to runs of the metric TIME. */
void mm_stretch_fit(struct mm_stretch *stretch, struct mm_profile *const *profiles,
                    size_t count);
/* Like mm_stretch_fit, from the own time, host time and windows of each run. */
struct mm_stretch_run {
    double own_ns, host_ns;
    const struct mm_stretch_windows *windows; /* windows of the run; NULL: not known */
};
void mm_stretch_of(struct mm_stretch *stretch, const struct mm_stretch_run *runs,
                   size_t count);

/* Convert a cost of own time with its interval to wall time: combines both uncertainties,
 * independent of each other, in logarithms. `low` and `high` may be NaN: no interval. */
void mm_stretch_apply(const struct mm_stretch *stretch, double *mean, double *low,
                      double *high);

#endif
