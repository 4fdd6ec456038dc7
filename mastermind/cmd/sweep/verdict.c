/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c: judge from the runs of a sweep whether repeats, sizes and host suffice. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/sweep.h"

/* True if own time of a finished run is known. */
static int sweep_run_is_own(const struct sweep_run *run)
{
    return isfinite(run->wait_s);
}

/* Times of the runs, [run_count]: own time if known for all finished runs, else CPU time
 * if known for all, else wall time; NAN: none. Returns 1 for CPU time. */
static int sweep_times(const struct sweep *sweep, double *seconds)
{
    size_t count = sweep->plan->run_count;
    int is_cpu = 1, is_own = 1;

    for (size_t i = 0; i < count; i++) {
        is_cpu &= sweep->runs[i].state != SWEEP_DONE || sweep->runs[i].cpu_s > 0;
        is_own &= sweep->runs[i].state != SWEEP_DONE || sweep_run_is_own(&sweep->runs[i]);
    }
    is_cpu &= !is_own;
    for (size_t i = 0; i < count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        seconds[i] = run->state != SWEEP_DONE ? NAN : is_cpu ? run->cpu_s : run->time_s;
    }
    return is_cpu;
}

double sweep_next_number(const struct sweep_axis *axis)
{
    const double *x = axis->numbers;
    size_t n = axis->count;
    double next;

    if (!x || n < 2 || n >= SWEEP_SIZES)
        return NAN;
    next = x[0] > 0 ? x[n - 1] * x[n - 1] / x[n - 2] : 2 * x[n - 1] - x[n - 2];
    if (axis->kind == SWEEP_RANKS && next > (double)sysconf(_SC_NPROCESSORS_ONLN))
        return NAN; /* no next value: ranks that share cores would measure waiting */
    return x[n - 1] == floor(x[n - 1]) && x[n - 2] == floor(x[n - 2]) ? round(next)
                                                                      : next;
}

/* The number of ranks of a run; 1 without an axis of ranks. */
static long ranks_of(const struct sweep *sweep, size_t at)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (sweep->axes[a].kind == SWEEP_RANKS)
            return (long)sweep->axes[a]
                .numbers[mm_plan_value(sweep->plan, sweep->plan->runs[at].point, a)];
    return 1;
}

static void judge_host(const struct sweep *sweep, struct sweep_verdict *v)
{
    double seen = 0, lost = 0, wall = 0, cpu = 0;

    v->worst_lost = -1;
    v->is_own = v->done > 0;
    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        if (run->state != SWEEP_DONE)
            continue;
        v->is_own &= sweep_run_is_own(run);
        v->oversubscribed |= ranks_of(sweep, i) > sysconf(_SC_NPROCESSORS_ONLN);
        if (run->seen_s > 0) {
            seen += run->seen_s;
            lost += run->lost_s;
            if (run->lost_s / run->seen_s > v->worst_lost) {
                v->worst_lost = run->lost_s / run->seen_s;
                v->worst = i;
            }
        }
        if (run->cpu_s > 0 && ranks_of(sweep, i) == 1) {
            wall += sweep_run_is_own(run) ? run->seen_s : run->time_s;
            cpu += run->cpu_s;
        }
    }
    v->lost = seen > 0 ? lost / seen : NAN;
    v->wall_per_cpu = cpu > 0 ? wall / cpu : NAN;
    v->is_shared = (v->is_cpu || v->is_own) && v->spread > SWEEP_UNSHARED;
    v->is_quiet = v->lost <= SWEEP_QUIET && !v->is_shared;
}

/* Count the finished runs of each point in `made` [point_count]. */
static void count_runs(const struct sweep *sweep, struct sweep_verdict *v, size_t *made)
{
    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        v->done += run->state == SWEEP_DONE;
        v->failed += run->state == SWEEP_FAILED;
        v->open += run->state == SWEEP_OPEN;
        v->taken += run->state == SWEEP_TAKEN;
        v->elapsed_s +=
            run->state == SWEEP_DONE || run->state == SWEEP_FAILED ? run->elapsed_s : 0;
        made[sweep->plan->runs[i].point] += run->state == SWEEP_DONE;
    }
    v->least = made[0];
    for (size_t p = 1; p < sweep->plan->point_count; p++)
        v->least = made[p] < v->least ? made[p] : v->least;
}

/* Ranks that wait for each other use CPU time, so judge only runs on one rank, if there
 * are some. */
static void keep_one_rank(const struct sweep *sweep, struct sweep_verdict *v,
                          double *seconds)
{
    size_t several = 0;

    for (size_t i = 0; i < sweep->plan->run_count; i++)
        if (sweep->runs[i].state == SWEEP_DONE) {
            v->one_rank |= ranks_of(sweep, i) == 1;
            several += ranks_of(sweep, i) > 1;
        }
    v->one_rank &= several > 0;
    for (size_t i = 0; i < sweep->plan->run_count && v->one_rank; i++)
        if (ranks_of(sweep, i) > 1)
            seconds[i] = NAN;
}

/* Count the values of each axis in finished runs, and find axes with too few. */
static void judge_sizes(const struct sweep *sweep, struct sweep_verdict *v,
                        const size_t *made)
{
    const struct mm_plan *plan = sweep->plan;

    v->extend = sweep->axis_count;
    for (size_t a = sweep->axis_count; a-- > 0;) {
        const struct sweep_axis *axis = &sweep->axes[a];
        int is_short = !isnan(sweep_next_number(axis));

        for (size_t value = 0; value < axis->count; value++) {
            size_t point = 0;

            while (point < plan->point_count &&
                   (!made[point] || mm_plan_value(plan, point, a) != value))
                point++;
            v->sizes[a] += point < plan->point_count;
        }
        if (is_short)
            v->extend = a;
        v->is_short[a] = is_short || (axis->numbers && v->sizes[a] < axis->count &&
                                      v->sizes[a] < SWEEP_SIZES);
        v->sizes_suffice &= !v->is_short[a];
    }
}

static void judge_repeats(const struct sweep *sweep, struct sweep_verdict *v,
                          double *seconds)
{
    keep_one_rank(sweep, v, seconds);
    v->spread = mm_plan_spread(sweep->plan, seconds, &v->freedom);
    if (v->freedom)
        v->wanted =
            (size_t)fmax(SWEEP_REPEATS, ceil(pow(2 * v->spread / SWEEP_BAR, 2) - 1e-9));
    v->repeats_suffice = v->least >= SWEEP_REPEATS && v->least >= v->wanted;
}

int sweep_judge(const struct sweep *sweep, struct sweep_verdict *v)
{
    double *seconds = calloc(sweep->plan->run_count, sizeof *seconds);
    size_t *made = calloc(sweep->plan->point_count, sizeof *made);
    int result = -ENOMEM;

    *v = (struct sweep_verdict){.sizes_suffice = 1};
    if (seconds && made) {
        count_runs(sweep, v, made);
        v->is_cpu = sweep_times(sweep, seconds);
        result = mm_plan_advise(sweep->plan, seconds, &v->advice);
        v->has_advice = result == 0;
        judge_sizes(sweep, v, made);
        judge_repeats(sweep, v, seconds);
        judge_host(sweep, v);
        if (v->has_advice && v->extend < sweep->axis_count && !v->open && !v->taken)
            v->advice.values[v->extend] = sweep->axes[v->extend].count - 1;
        else
            v->extend = sweep->axis_count;
    }
    free(seconds);
    free(made);
    return result == -ENOMEM ? result : 0;
}
