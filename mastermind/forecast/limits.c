/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.c: limits of the cost of a whole run of a command that is larger than all
 * measured ones, from the runs of the largest size.
 *
 * Forms of models grow at most with the power MM_MAX_POWER of a size, and not at all at
 * the least. So where the costs of the measured runs never fall, a larger run costs as
 * much as a smaller one or more, and at most this power of the ratio of sizes times as
 * much, times a factor for a cache that its data leave. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mastermind/cost/cost.h"
#include "mastermind/forecast/cost.h"
#include "mastermind/forecast/parts.h"

/* Runs of one size. */
struct size {
    double x, runs, log_sum;
};

/* The only numeric parameter of runs that varies, if the requested run equals the
 * measured ones in all others; MM_NO_AXIS: none. */
static size_t only_axis(const struct mm_structure *s, const struct mm_asked *asked)
{
    size_t found = MM_NO_AXIS;

    for (size_t i = 0; i < s->axes.count; i++) {
        const struct mm_axis *axis = &s->axes.items[i];

        if (!mm_axis_counts(&s->axes, i))
            continue;
        if (axis->varies && (found != MM_NO_AXIS || !axis->is_number))
            return MM_NO_AXIS;
        if (axis->varies)
            found = i;
        else if (asked->text[i] && axis->text[0] &&
                 strcmp(asked->text[i], axis->text[0]) != 0)
            return MM_NO_AXIS;
    }
    return found != MM_NO_AXIS && asked->text[found] ? found : MM_NO_AXIS;
}

/* Sum up the runs of the size nearest to `x` on one side of it: of the largest size that
 * is at most `x`, or (`above`) the smallest that is at least `x`. */
static struct size next_size(const struct mm_forecaster *f, const struct mm_axis *axis,
                             double x, int above)
{
    struct size size = {.x = above ? INFINITY : -INFINITY};

    for (size_t r = 0; r < f->count; r++) {
        double at = axis->number[r], total = mm_forecast_run_total(&f->runs[r]);

        if ((above ? at < x : at > x) || !(total > 0))
            continue;
        if (above ? at < size.x : at > size.x)
            size = (struct size){.x = at};
        if (at == size.x) {
            size.runs++;
            size.log_sum += log(total);
        }
    }
    return size;
}

/* True if no size costs less than the size before it, by more than equal runs explain. */
static int never_falls(const struct mm_forecaster *f, const struct mm_axis *axis,
                       double sd)
{
    struct size before = next_size(f, axis, -INFINITY, 1), size;

    for (;; before = size) {
        size = next_size(f, axis, nextafter(before.x, INFINITY), 1);
        if (!size.runs)
            return before.runs > 0;
        if (size.log_sum / size.runs - before.log_sum / before.runs <
            -3 * sd * sqrt(1 / size.runs + 1 / before.runs))
            return 0;
    }
}

void mm_limits_apply(struct mm_forecast *forecast, const struct mm_forecaster *f,
                     struct mm_run_sd runs)
{
    size_t at = only_axis(&f->structure, &forecast->asked);
    const struct mm_axis *axis = &f->structure.axes.items[at];
    struct size below;
    double x, low, high, half;

    if (at == MM_NO_AXIS || forecast->has_mpi || forecast->part_count != 1 ||
        forecast->parts[0].cell_count != 1 ||
        mm_method_peak(mm_cell_method(&f->structure.cells,
                                      forecast->parts[0].cells[0].cell)) == SIZE_MAX ||
        !never_falls(f, axis, runs.sd))
        return;
    x = mm_axis_number(forecast->asked.text[at]);
    below = next_size(f, axis, x, 0);
    if (!below.runs || !(below.x > 0) || next_size(f, axis, x, 1).runs)
        return;
    half = mm_run_sd_half(runs, below.runs, MM_FORECAST_LEVEL);
    low = exp(below.log_sum / below.runs - half);
    high = MM_CACHES_WHOLE * pow(x / below.x, MM_MAX_POWER) *
           exp(below.log_sum / below.runs + half);
    if (isfinite(forecast->low_ns)) {
        forecast->low_ns = fmin(forecast->total_ns, fmax(forecast->low_ns, low));
        forecast->high_ns = fmax(forecast->total_ns, fmin(forecast->high_ns, high));
    } else if (low <= forecast->total_ns && forecast->total_ns <= high) {
        forecast->low_ns = low;
        forecast->high_ns = high;
        forecast->why = NULL;
    }
}
