/* SPDX-License-Identifier: BSD-3-Clause */
/* over_failures.c: how likely the requested run fails with each value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/choose/over.h"

const char *mm_over_asked(const struct mm_over *over, size_t axis)
{
    const struct mm_question_options *options = &over->asked->question;
    const struct cca_given *given[] = {options->set, options->variable,
                                       options->class_of};
    const char *name = sweep_axis_parameter(&over->sweep.axes[axis]);
    size_t length = strlen(name);

    if (over->sweep.axes[axis].kind == SWEEP_RANKS && options->ranks->given)
        return cca_given_value(options->ranks);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        for (int i = 0; given[k] && i < given[k]->given; i++)
            if (strncmp(given[k]->values[i], name, length) == 0 &&
                given[k]->values[i][length] == '=')
                return given[k]->values[i] + length + 1;
    return NULL;
}

/* True for a named axis, but not for the one with the number of uses: failures count for
 * all numbers of uses. */
static int is_over(const struct mm_over *over, size_t axis)
{
    size_t count = over->axis_count - (over->asked->uses != NULL);

    for (size_t i = 0; i < count; i++)
        if (over->axes[i] == axis)
            return 1;
    return 0;
}

/* True if a point has the value's values, and the requested ones of all axes of names. */
static int counts(const struct mm_over *over, const struct mm_over_value *value,
                  size_t point)
{
    const struct mm_plan *plan = over->sweep.plan;

    for (size_t a = 0; a < over->sweep.axis_count; a++) {
        const struct sweep_axis *axis = &over->sweep.axes[a];
        size_t at = mm_plan_value(plan, point, a);
        const char *asked =
            is_over(over, a) || axis->numbers ? NULL : mm_over_asked(over, a);

        if (is_over(over, a) && at != mm_plan_value(plan, value->point, a))
            return 0;
        if (asked && strcmp(axis->texts[at], asked) != 0)
            return 0;
    }
    return 1;
}

/* Collect the runs of a value by their number on an axis; `axis` may be axis_count for no
 * axis. Returns the number of trials. */
static size_t collect(const struct mm_over *over, const struct mm_over_value *value,
                      size_t axis, struct mm_trials *trials)
{
    const struct mm_plan *plan = over->sweep.plan;
    size_t count = 0;

    for (size_t i = 0; i < plan->run_count; i++) {
        const struct sweep_run *run = &over->sweep.runs[i];
        size_t point = plan->runs[i].point, runs;

        runs = run->failures + (run->state == SWEEP_DONE);
        if (!runs || !counts(over, value, point))
            continue;
        trials[count++] = (struct mm_trials){
            axis < over->sweep.axis_count
                ? over->sweep.axes[axis].numbers[mm_plan_value(plan, point, axis)]
                : 0,
            runs, run->failures};
    }
    return mm_trials_order(trials, count);
}

/* The number that is requested on an axis; NaN: none, or the axis has no numbers. */
static double asked_number(const struct mm_over *over, size_t axis)
{
    const struct sweep_axis *a = &over->sweep.axes[axis];
    const char *text = is_over(over, axis) || !a->numbers || a->count < 2
                           ? NULL
                           : mm_over_asked(over, axis);

    return text ? strtod(text, NULL) : NAN;
}

/* Find the probability of a failure of one value, as a function of the axis of which it
 * depends most clearly. */
static int find_failure(struct mm_over *over, struct mm_over_value *value,
                        struct mm_trials *trials)
{
    size_t count = collect(over, value, over->sweep.axis_count, trials), axes = 0;
    double chance = 1;

    value->tried = count ? trials[0].runs : 0;
    value->failed = count ? trials[0].failures : 0;
    if (mm_failure_at(trials, count, 0, MM_FORECAST_LEVEL, &value->fails))
        return mm_no_memory();
    for (size_t a = 0; a < over->sweep.axis_count; a++)
        axes += !isnan(asked_number(over, a));
    for (size_t a = 0; a < over->sweep.axis_count; a++) {
        double asked = asked_number(over, a);
        struct mm_failure failure;

        if (isnan(asked))
            continue;
        count = collect(over, value, a, trials);
        if (mm_failure_at(trials, count, asked, MM_FORECAST_LEVEL, &failure))
            return mm_no_memory();
        value->fails.factor = fmax(value->fails.factor, failure.factor);
        failure.factor = value->fails.factor;
        if (!failure.direction || failure.p * (double)axes > MM_FAILURE_CHANCE ||
            failure.p >= chance)
            continue;
        chance = failure.p;
        value->fails = failure;
        value->fails_axis = a;
    }
    return -1;
}

int mm_over_find_failures(struct mm_over *over)
{
    struct mm_trials *trials = calloc(over->sweep.plan->run_count + 1, sizeof *trials);
    int result = trials ? -1 : mm_no_memory(), depends = 0;

    for (size_t i = 0; i < over->count && result < 0; i++) {
        result = find_failure(over, &over->values[i], trials);
        depends |= over->values[i].fails.direction > 0;
    }
    for (size_t i = 0; i < over->count; i++) {
        struct mm_over_value *value = &over->values[i];

        value->is_beyond = depends && value->fails.factor > MM_OVER_BEYOND;
        value->may_be_chosen =
            value->fails.share <= over->asked->may_fail && !value->is_beyond;
    }
    free(trials);
    return result;
}
