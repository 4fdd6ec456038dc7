/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c: a sweep that makes only the runs that decide which values cost least. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

/* Find the axes of --over. Returns their number; 0: a name is no axis, or is there twice,
 * and `text` gets it. */
static size_t find_axes(const struct sweep *sweep, size_t axes[MM_PLAN_AXES],
                        char text[200])
{
    size_t count = 0;

    for (const char *at = sweep->over;; at++) {
        size_t length = strcspn(at, ","), axis = 0;

        snprintf(text, 200, "%.*s", (int)length, at);
        while (axis < sweep->axis_count && strcmp(sweep->axes[axis].name, text) != 0)
            axis++;
        for (size_t i = 0; i < count; i++)
            if (axes[i] == axis)
                return 0;
        if (axis == sweep->axis_count || count == MM_PLAN_AXES)
            return 0;
        axes[count++] = axis;
        at += length;
        if (!*at)
            return count;
    }
}

int sweep_race_check(const struct sweep *sweep)
{
    size_t axes[MM_PLAN_AXES];
    char text[200], hint[128];
    struct cca_nearest nearest;

    if (!sweep->metric || (strcmp(sweep->metric, "WALL_TIME") != 0 &&
                           strcmp(sweep->metric, "CPU_TIME") != 0))
        return mm_refuse(MM_EXIT_MISUSE,
                         "'%s' for --metric, expected WALL_TIME or CPU_TIME",
                         mm_safe(sweep->metric ? sweep->metric : "none"));
    if (find_axes(sweep, axes, text))
        return -1;
    cca_nearest_init(&nearest, text);
    for (size_t a = 0; a < sweep->axis_count; a++)
        cca_nearest_offer(&nearest, sweep->axes[a].name);
    return mm_refuse(MM_EXIT_MISUSE, "--over: '%s' is no axis, or is there twice%s",
                     mm_safe(text),
                     mm_safe(cca_nearest_hint(nearest.best, hint, sizeof hint)));
}

int sweep_race_find(const struct sweep *sweep, struct sweep_race *race)
{
    size_t count = sweep->plan->run_count;
    double *seconds = calloc(count, sizeof *seconds);
    unsigned char *closed = calloc(count, 2);
    int by_cpu = strcmp(sweep->metric, "CPU_TIME") == 0, result = -ENOMEM;
    char text[200];

    *race =
        (struct sweep_race){.best = calloc(sweep->plan->point_count, sizeof *race->best)};
    race->race = (struct mm_plan_race){.axes = race->axes,
                                       .axis_count = find_axes(sweep, race->axes, text),
                                       .within = sweep->within};
    for (size_t i = 0; seconds && closed && i < count; i++) {
        const struct sweep_run *run = &sweep->runs[i];

        seconds[i] = run->state != SWEEP_DONE ? NAN
                     : by_cpu                 ? run->cpu_s
                                              : run->elapsed_s;
        closed[i] = run->state != SWEEP_OPEN;
        closed[count + i] = run->state == SWEEP_FAILED || run->failures > 0;
    }
    if (seconds && closed && race->best)
        result = mm_plan_race_next(sweep->plan, &race->race, seconds, closed,
                                   closed + count, &race->decision, race->best);
    free(seconds);
    free(closed);
    return result;
}

void sweep_race_done(struct sweep_race *race)
{
    free(race->best);
    race->best = NULL;
}

/* True if no point before `point` has the same choice. */
static int is_first(const struct sweep_race *race, size_t point)
{
    for (size_t p = 0; p < point; p++)
        if (race->best[p] == race->best[point])
            return 0;
    return 1;
}

void sweep_race_print(const struct sweep *sweep, const struct sweep_race *race)
{
    const struct mm_plan_decision *decision = &race->decision;
    size_t done = 0, failed = 0;
    char text[1000];

    for (size_t i = 0; i < sweep->plan->run_count; i++) {
        done += sweep->runs[i].state == SWEEP_DONE;
        failed += sweep->runs[i].state == SWEEP_FAILED;
    }
    for (size_t p = 0; p < sweep->plan->point_count; p++)
        if (race->best[p] < sweep->plan->point_count && is_first(race, p))
            printf("choice: %s\n",
                   mm_safe(sweep_point_text(
                       sweep, sweep->plan->values + race->best[p] * sweep->axis_count,
                       text, sizeof text)));
    printf("%zu of %s decided by %s, by %zu of %s", decision->decided,
           mm_counted(decision->contexts, "choice"), mm_safe(sweep->metric),
           done + failed, mm_counted(sweep->plan->run_count, "run"));
    if (failed)
        printf(" (%zu failed)", failed);
    if (isfinite(decision->regret))
        printf(": expected to cost at most %.2g %% more than the best value",
               100 * decision->regret);
    putchar('\n');
}

json_t *sweep_race_json(const struct sweep *sweep, const struct sweep_race *race)
{
    json_t *object = json_object(), *values = json_array();

    for (size_t p = 0; p < sweep->plan->point_count; p++)
        if (race->best[p] < sweep->plan->point_count && is_first(race, p))
            json_array_append_new(
                values, sweep_point_json(sweep, sweep->plan->values +
                                                    race->best[p] * sweep->axis_count));
    mm_json_set(object, "decided contexts values", (json_int_t)race->decision.decided,
                (json_int_t)race->decision.contexts, values);
    mm_json_put(object, "regret", mm_json_finite(race->decision.regret));
    return object;
}
