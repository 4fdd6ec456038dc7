/* SPDX-License-Identifier: BSD-3-Clause */
/* robust.c: one-sided robust mean. */
#include "mastermind/analysis/models/calls/robust.h"

#include <math.h>
#include <stdlib.h>

/* Scale of the lower half, as a share of a normal distribution's sd. */
#define NORMAL_SCALE 1.4826
#define CUT_SCALES 4.0
/* Values nearer to the median than this share are no disturbance. */
#define LEAST_CUT 1.02
/* Only the host, not the method, takes this many times the typical cost. */
#define PAUSE 10.0

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double mm_median_sorted(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2]
                     : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double mm_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return mm_median_sorted(values, count);
}

static void mean_sd(const double *values, size_t count, double *mean, double *sd)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - *mean) * (values[i] - *mean);
    *sd = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

/* How many of the first `count` sorted values stay. The distances of the lower half from
 * the median are sorted, so their median is the distance to the lower quartile. */
static size_t cut_upper(const double *sorted, size_t count)
{
    double median = mm_median_sorted(sorted, count);
    double scale = NORMAL_SCALE * (median - mm_median_sorted(sorted, (count + 1) / 2));
    double limit = median + CUT_SCALES * scale;

    /* Clocks tick: a lower half of equal values tells nothing of the spread. */
    if (limit < median * LEAST_CUT)
        limit = median * LEAST_CUT;
    while (count && sorted[count - 1] > limit)
        count--;
    return count;
}

struct mm_robust mm_robust_of(double *values, size_t count)
{
    struct mm_robust result = {.kept = count};

    if (!count)
        return result;
    qsort(values, count, sizeof *values, by_value);
    while (result.kept >= 4) {
        size_t kept = cut_upper(values, result.kept);

        if (kept == result.kept)
            break;
        result.kept = kept;
    }
    /* More than a quarter beyond is another population, no disturbance: it stays, and
     * only pauses of the host go. */
    if (4 * (count - result.kept) > count) {
        double median = mm_median_sorted(values, count);

        for (result.kept = count; values[result.kept - 1] > PAUSE * median;)
            result.kept--;
    }
    mean_sd(values, result.kept, &result.mean, &result.sd);
    if (result.kept < count) {
        double sd;

        mean_sd(values + result.kept, count - result.kept, &result.excess, &sd);
        result.excess -= result.mean;
    }
    while (count > result.kept && values[count - 1] > PAUSE * result.mean)
        count--;
    mean_sd(values, count, &result.mean_all, &(double){0});
    return result;
}
