/* SPDX-License-Identifier: BSD-3-Clause */
/* stretch.h: how much longer than its own time a run takes on this host.
 *
 * Wall time is own time times a stretch, 1 where the host took nothing. Runs tell its
 * mean; how it differs from run to run, and from window to window of one run, tells how
 * far the next run may be from it. A loud host differs more: without many runs a quarter
 * of the mean, in logarithms, counts as four runs more. So no interval of wall time is
 * narrow on a loud host, and on a quiet one nothing is added.
 *
 * For a cost of own time and its interval:
 *     mm_stretch_fit(&stretch, profiles, count);
 *     mm_stretch_apply(&stretch, &mean, &low, &high);
 */
#ifndef MASTERMIND_COUNTS_PROFILE_STRETCH_H
#define MASTERMIND_COUNTS_PROFILE_STRETCH_H

#include <stddef.h>
#include <stdint.h>

enum { MM_STRETCH_WINDOWS = 16 };

/* A run in windows of equal wall time, whose length doubles when there are too many.
 * Zero-initialised is empty. */
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
    double low, high; /* 90 %: of one more run; >= 1 */
    double sd;        /* of its logarithm, from run to run */
    double freedom;   /* degrees of freedom of that */
    size_t runs;      /* that tell what the host took; 0: none does, and all are 1 */
};

struct mm_profile;

/* Fit the stretch to runs of the metric TIME. */
void mm_stretch_fit(struct mm_stretch *stretch, struct mm_profile *const *profiles,
                    size_t count);
/* Like mm_stretch_fit, from the own time, the host's share and the windows of each run.
 */
struct mm_stretch_run {
    double own_ns, host_ns;
    const struct mm_stretch_windows *windows; /* NULL: not known */
};
void mm_stretch_of(struct mm_stretch *stretch, const struct mm_stretch_run *runs,
                   size_t count);

/* Turn a cost of own time with its interval into one of wall time: both uncertainties,
 * independent of each other, in logarithms. `low` and `high` may be NaN: no interval. */
void mm_stretch_apply(const struct mm_stretch *stretch, double *mean, double *low,
                      double *high);

#endif
