/* SPDX-License-Identifier: BSD-3-Clause */
/* stretch.c: the ratio of wall time to own time, and its variation between runs. */
#include "mastermind/counts/profile/stretch.h"

#include <math.h>

#include "common/statistics.h"
#include "mastermind/counts/profile/profile.h"

#define FIRST_WINDOW 1e5 /* length of the first windows of wall time, in ns */
/* Prior sd of the logarithm of the stretch, as a share of this logarithm. */
#define PRIOR_SHARE .25
#define PRIOR_RUNS 4  /* weight of the prior, in runs */
#define LEAST_OWN .01 /* least own time of a run, as a share of its wall time */
#define P95 .95       /* probability of the upper bound of a 90 % interval */

/* Merge pairs of neighbouring windows to make room for as many again. */
static void halve(struct mm_stretch_windows *w)
{
    for (size_t i = 0; i < w->count / 2; i++) {
        w->items[i] = w->items[2 * i];
        w->items[i].own_ns += w->items[2 * i + 1].own_ns;
        w->items[i].host_ns += w->items[2 * i + 1].host_ns;
    }
    w->count /= 2;
    w->length_ns *= 2;
}

void mm_stretch_windows_add(struct mm_stretch_windows *w, int64_t own_ns, int64_t host_ns)
{
    struct mm_stretch_window *last = w->count ? &w->items[w->count - 1] : NULL;

    if (!w->length_ns)
        w->length_ns = FIRST_WINDOW;
    if (!last || last->own_ns + last->host_ns >= w->length_ns) {
        if (w->count == MM_STRETCH_WINDOWS)
            halve(w);
        last = &w->items[w->count++];
        *last = (struct mm_stretch_window){0};
    }
    last->own_ns += (double)own_ns;
    last->host_ns += (double)host_ns;
}

static double ratio(double own_ns, double host_ns)
{
    double wall_ns = own_ns + host_ns;

    return wall_ns > 0 ? wall_ns / fmax(own_ns, LEAST_OWN * wall_ns) : 1;
}

/* Variance of the logarithm of a run's stretch, from `parts` parts of its windows: the
 * variance of a ratio of two sums. */
static double parts_variance(const struct mm_stretch_windows *w, size_t parts)
{
    double own = 0, host = 0, squares = 0, n = (double)parts, stretch;

    for (size_t i = 0; i < w->count; i++) {
        own += w->items[i].own_ns;
        host += w->items[i].host_ns;
    }
    stretch = ratio(own, host);
    for (size_t p = 0; p < parts; p++) {
        double rest = 0;

        for (size_t i = p * w->count / parts; i < (p + 1) * w->count / parts; i++)
            rest += w->items[i].host_ns - (stretch - 1) * w->items[i].own_ns;
        squares += rest * rest;
    }
    return squares * n / (n - 1) / ((own + host) * (own + host));
}

/* Variance of a run's stretch from its windows. Long disturbances by the host show only
 * in long windows, so take the maximum over several lengths. */
static double window_variance(const struct mm_stretch_windows *w)
{
    double most = 0;

    for (size_t parts = 4; w && parts <= w->count; parts *= 2)
        most = fmax(most, parts_variance(w, parts));
    return most;
}

/* Variance of the logarithm of the runs' stretches about their mean. */
static double run_variance(const struct mm_stretch_run *runs, size_t count)
{
    double sum = 0, squares = 0, n = (double)count;

    for (size_t i = 0; i < count; i++) {
        double x = log(ratio(runs[i].own_ns, runs[i].host_ns));

        sum += x;
        squares += x * x;
    }
    return count < 2 ? 0 : fmax(0, squares - sum * sum / n) / (n - 1);
}

void mm_stretch_of(struct mm_stretch *s, const struct mm_stretch_run *runs, size_t count)
{
    double own = 0, host = 0, windows = 0, prior, variance, half;

    *s = (struct mm_stretch){.mean = 1, .low = 1, .high = 1, .runs = count};
    if (!count)
        return;
    for (size_t i = 0; i < count; i++) {
        own += runs[i].own_ns;
        host += runs[i].host_ns;
        windows += window_variance(runs[i].windows) / (double)count;
    }
    s->mean = ratio(own, host);
    prior = fmax(windows, pow(PRIOR_SHARE * log(s->mean), 2));
    s->freedom = PRIOR_RUNS + (double)(count - 1);
    variance = (PRIOR_RUNS * prior + (double)(count - 1) * run_variance(runs, count)) /
               s->freedom;
    s->sd = sqrt(variance);
    half = cca_student_quantile(P95, s->freedom) * s->sd * sqrt(1 + 1 / (double)count);
    s->low = fmax(1, s->mean * exp(-half));
    s->high = s->mean * exp(half);
}

void mm_stretch_fit(struct mm_stretch *s, struct mm_profile *const *profiles,
                    size_t count)
{
    enum { MOST = 256 }; /* more runs do not improve the estimate */
    struct mm_stretch_run runs[MOST];
    size_t used = 0;

    for (size_t i = 0; i < count && used < MOST; i++) {
        const struct mm_dual *dual = profiles[i]->dual;

        if (dual->off_unknown < dual->rows + dual->folded)
            runs[used++] = (struct mm_stretch_run){.own_ns = (double)dual->total_ns,
                                                   .host_ns = (double)dual->off.host_ns,
                                                   .windows = &profiles[i]->windows};
    }
    mm_stretch_of(s, runs, used);
}

/* Distance from the mean of wall time to a bound of its interval, in logarithms: the
 * distances of own time and of the stretch, added in quadrature. */
static double side(double mean, double bound, double stretch, double stretch_bound)
{
    double own = log(bound / mean), host = log(stretch_bound / stretch);

    return hypot(own, host);
}

void mm_stretch_apply(const struct mm_stretch *s, double *mean, double *low, double *high)
{
    double wall = *mean * s->mean;

    if (*mean > 0 && *low > 0)
        *low = fmax(*low, wall * exp(-side(*mean, *low, s->mean, s->low)));
    else
        *low *= *low > 0 ? s->low : s->high; /* 0 has no logarithm: use the farthest
                                                bound */
    if (*mean > 0 && *high > 0)
        *high = wall * exp(side(*mean, *high, s->mean, s->high));
    else
        *high *= *high > 0 ? s->high : s->low;
    *mean = wall;
}
