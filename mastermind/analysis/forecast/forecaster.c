/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.c: runs, their structure, and how equal runs differ. */
#include "mastermind/analysis/forecast/forecaster.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_FREEDOM 2. /* of a spread between runs that is used by itself */

static double total_of(const struct mm_forecast_run *run)
{
    return isfinite(run->total_ns) && run->total_ns > 0
               ? run->total_ns
               : (double)run->profile->dual->total_ns;
}

/* True for two runs with equal parameters. */
static int same_run(const struct mm_axes *axes, size_t a, size_t b)
{
    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];
        const char *one = axis->text[a] ? axis->text[a] : "";
        const char *other = axis->text[b] ? axis->text[b] : "";

        if (mm_axis_counts(axes, i) && strcmp(one, other) != 0)
            return 0;
    }
    return 1;
}

/* Pool the variance of log(total) over groups of equal runs. */
static void fit_spread(struct mm_forecaster *f)
{
    const struct mm_axes *axes = &f->structure.axes;
    double squares = 0, freedom = 0;

    for (size_t a = 0; a < f->count; a++) {
        double sum = 0, sum2 = 0, n = 0;
        int first = 1;

        for (size_t b = 0; b < f->count; b++) {
            double value;

            if (!same_run(axes, a, b))
                continue;
            first &= b >= a;
            value = log(total_of(&f->runs[b]));
            sum += value;
            sum2 += value * value;
            n++;
        }
        if (!first || n < 2)
            continue;
        squares += fmax(sum2 - sum * sum / n, 0);
        freedom += n - 1;
    }
    f->run_sd = NAN;
    if (freedom >= LEAST_FREEDOM) {
        f->run_sd = sqrt(squares / freedom);
        f->run_freedom = freedom;
        return;
    }
    if (f->count > 1 && isfinite(f->library->runs.relative) &&
        !f->library->runs.from_parts) {
        f->run_sd = f->library->runs.relative;
        f->run_freedom = fmax(f->library->runs.freedom, 1);
        return;
    }
    f->run_why = f->count < 2 ? "one run does not tell how runs differ"
                              : "no two runs are equal, and none tells how runs differ";
}

static int check_runs(const struct mm_forecast_run *runs, size_t count,
                      struct cca_error *err)
{
    if (!count)
        return cca_error_set(err, -EINVAL, "no run to learn from");
    for (size_t i = 0; i < count; i++)
        if (!runs[i].run->is_known)
            return cca_error_set(err, -ENODATA,
                                 "%s: its parameters are not known: an older experiment, "
                                 "or not of ccafe",
                                 runs[i].name);
    return 0;
}

struct mm_forecaster *mm_forecaster_new(const struct mm_forecast_run *runs, size_t count,
                                        const struct mm_library *library,
                                        struct cca_error *err)
{
    struct mm_forecaster *f;
    const struct mm_run **parameters;
    int result;

    if (check_runs(runs, count, err))
        return NULL;
    f = calloc(1, sizeof *f);
    parameters = calloc(count, sizeof *parameters);
    if (f) {
        f->runs = calloc(count, sizeof *f->runs);
        f->profiles = calloc(count, sizeof *f->profiles);
    }
    if (!f || !parameters || !f->runs || !f->profiles) {
        free(parameters);
        mm_forecaster_free(f);
        cca_no_memory(err);
        return NULL;
    }
    f->library = library;
    f->count = count;
    memcpy(f->runs, runs, count * sizeof *runs);
    for (size_t i = 0; i < count; i++) {
        f->profiles[i] = runs[i].profile;
        parameters[i] = runs[i].run;
    }
    result = mm_structure_init(&f->structure, parameters, f->profiles, count, err);
    free(parameters);
    if (result) {
        mm_forecaster_free(f);
        return NULL;
    }
    fit_spread(f);
    return f;
}

void mm_forecaster_free(struct mm_forecaster *forecaster)
{
    if (!forecaster)
        return;
    mm_structure_done(&forecaster->structure);
    free(forecaster->runs);
    free(forecaster->profiles);
    free(forecaster);
}

const struct mm_axes *mm_forecaster_axes(const struct mm_forecaster *forecaster)
{
    return &forecaster->structure.axes;
}

struct mm_structure *mm_forecaster_structure(struct mm_forecaster *forecaster)
{
    return &forecaster->structure;
}

const char *mm_forecast_class(const struct mm_forecaster *forecaster,
                              const struct mm_asked *asked, size_t vertex)
{
    const struct mm_method_info *method =
        forecaster->structure.cells.vertices[vertex].method;
    const struct mm_axes *axes = &forecaster->structure.axes;
    size_t axis = mm_axes_find(axes, MM_AXIS_CLASS, method->instance);

    if (axis == MM_NO_AXIS)
        return method->class_name;
    return asked->text[axes->items[axis].same_as];
}
