/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c: make a plan, and choose its next run. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/plan/parts.h"
#include "mastermind/plan/plan.h"

static int check_axis(const struct mm_plan_axis *axis, size_t at, struct cca_error *err)
{
    if (axis->count < 1)
        return cca_error_set(err, -EINVAL, "axis %zu has no value", at + 1);
    for (size_t i = 0; axis->numbers && i < axis->count; i++)
        if (!isfinite(axis->numbers[i]) ||
            (i && !(axis->numbers[i - 1] < axis->numbers[i])))
            return cca_error_set(err, -EINVAL,
                                 "axis %zu: its numbers are not finite and ascending",
                                 at + 1);
    return 0;
}

static int check_request(const struct mm_plan_request *request, struct cca_error *err)
{
    size_t values = 0;

    if (request->repeats < 1)
        return cca_error_set(err, -EINVAL, "a plan without a repeat has no runs");
    if (request->axis_count > MM_PLAN_AXES)
        return cca_error_set(err, -E2BIG, "found %zu axes, expected at most %d",
                             request->axis_count, MM_PLAN_AXES);
    for (size_t i = 0; i < request->axis_count; i++) {
        int result = check_axis(&request->axes[i], i, err);

        if (result)
            return result;
        values += request->axes[i].count;
        if (request->axes[i].count > MM_PLAN_VALUES || values > MM_PLAN_VALUES)
            return cca_error_set(err, -E2BIG,
                                 "found more than %d values, expected at most these",
                                 MM_PLAN_VALUES);
    }
    return 0;
}

static int copy_axes(struct mm_plan *plan, const struct mm_plan_request *request)
{
    plan->axes = calloc(request->axis_count + 1, sizeof *plan->axes);
    if (!plan->axes)
        return -ENOMEM;
    plan->grid_points = 1;
    for (; plan->axis_count < request->axis_count; plan->axis_count++) {
        const struct mm_plan_axis *axis = &request->axes[plan->axis_count];
        double *numbers = NULL;

        if (axis->numbers) {
            numbers = malloc(axis->count * sizeof *numbers);
            if (!numbers)
                return -ENOMEM;
            memcpy(numbers, axis->numbers, axis->count * sizeof *numbers);
        }
        plan->axes[plan->axis_count] =
            (struct mm_plan_axis){.count = axis->count, .numbers = numbers};
        plan->grid_points *= (double)axis->count;
    }
    return 0;
}

struct mm_plan *mm_plan_new(const struct mm_plan_request *request, struct cca_error *err)
{
    struct mm_plan *plan;
    uint64_t random = request->seed;

    if (check_request(request, err))
        return NULL;
    plan = calloc(1, sizeof *plan);
    if (!plan || copy_axes(plan, request)) {
        cca_no_memory(err);
        goto fail;
    }
    plan->repeats = request->repeats;
    plan->is_grid = plan->grid_points <= (double)request->grid_limit;
    if (plan->is_grid ? mm_plan_set_grid(plan, err)
                      : mm_plan_set_design(plan, &random, err))
        goto fail;
    if ((double)plan->point_count * (double)request->repeats > MM_PLAN_RUNS) {
        cca_error_set(err, -E2BIG,
                      "found %zu points with %zu repeats, expected at most "
                      "%d runs",
                      plan->point_count, request->repeats, MM_PLAN_RUNS);
        goto fail;
    }
    if (mm_plan_set_order(plan, &random, err))
        goto fail;
    return plan;
fail:
    mm_plan_free(plan);
    return NULL;
}

void mm_plan_free(struct mm_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->axis_count; i++) {
        double *numbers;

        /* copy the pointer without its const, because the array is the plan's own */
        memcpy(&numbers, &plan->axes[i].numbers, sizeof numbers);
        free(numbers);
    }
    free(plan->axes);
    free(plan->values);
    free(plan->runs);
    free(plan);
}

size_t mm_plan_next(const struct mm_plan *plan, const unsigned char *closed,
                    const double *points, double left)
{
    size_t at = 0;

    while (at < plan->run_count &&
           (closed[at] || left <= 0 || points[plan->runs[at].point] > left))
        at++;
    return at;
}
