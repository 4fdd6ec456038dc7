/* SPDX-License-Identifier: BSD-3-Clause */
/* forecaster.c: runs, their structure, and the variation between equal runs. */
#include "mastermind/forecast/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/statistics.h"

double mm_forecast_run_total(const struct mm_forecast_run *run)
{
    return isfinite(run->total_ns) && run->total_ns > 0
               ? run->total_ns
               : (double)run->profile->dual->total_ns;
}

double mm_forecast_run_wall(const struct mm_forecast_run *run)
{
    return mm_forecast_run_total(run) + (double)run->profile->dual->off.host_ns;
}

/* Deviations of log(total) from the mean of equal runs, scaled by sqrt(n / (n - 1)).
 * Returns their number. */
static size_t find_deviations(const struct mm_forecaster *f, int several, double *values,
                              double *freedom)
{
    const struct mm_axes *axes = &f->structure.axes;
    size_t found = 0;

    *freedom = 0;
    for (size_t a = 0; a < f->count; a++) {
        double sum = 0, n = 0;
        int first = 1;

        if (several >= 0 && (f->runs[a].run->ranks > 1) != several)
            continue;
        for (size_t b = 0; b < f->count; b++)
            if (mm_axes_same_run(axes, a, b)) {
                first &= b >= a;
                sum += log(mm_forecast_run_total(&f->runs[b]));
                n++;
            }
        if (n < 2)
            continue;
        values[found++] =
            fabs(log(mm_forecast_run_total(&f->runs[a])) - sum / n) * sqrt(n / (n - 1));
        *freedom += first ? n - 1 : 0;
    }
    return found;
}

/* Robust standard deviation: each deviation counts at most three times the median one, so
 * that a run delayed by the host does not widen all intervals. */
static double robust_sd(double *values, size_t count)
{
    double middle = cca_median(values, count), squares = 0;

    for (size_t i = 0; i < count; i++) {
        double most = middle > 0 ? 3 * CCA_NORMAL_SCALE * middle : INFINITY;

        squares += pow(fmin(values[i], most), 2);
    }
    return sqrt(squares / (double)count);
}

int mm_run_differences_fit(struct mm_run_sd *spread, const struct mm_forecaster *f,
                           int several)
{
    const struct mm_runs *runs = &f->library->runs;
    double *values = calloc(f->count + 1, sizeof *values), freedom;
    size_t found;

    if (!values)
        return -ENOMEM;
    found = find_deviations(f, several, values, &freedom);
    if (freedom < MM_EQUAL_RUNS_FREEDOM)
        found = find_deviations(f, -1, values, &freedom);
    *spread = found ? mm_run_sd_combine(runs->prior, robust_sd(values, found), freedom)
                    : runs->all;
    free(values);
    return 0;
}

/* True if two runs have an instance in common. */
static int same_program(const struct mm_run *a, const struct mm_run *b)
{
    for (size_t i = 0; i < a->classes.count; i++)
        if (mm_run_value(&b->classes, a->classes.items[i].name))
            return 1;
    return !a->classes.count || !b->classes.count;
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
    for (size_t i = 1; i < count; i++)
        if (!same_program(runs[0].run, runs[i].run))
            return cca_error_set(err, -ENODATA,
                                 "%s and %s are runs of different programs: they have no "
                                 "instance in common",
                                 runs[0].name, runs[i].name);
    return 0;
}

static struct mm_forecaster *make(const struct mm_forecast_run *runs, size_t count,
                                  int flat, const struct mm_library *library,
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
    result = mm_structure_init(&f->structure, parameters, f->profiles, count, flat, err);
    free(parameters);
    if (result) {
        mm_forecaster_free(f);
        return NULL;
    }
    return f;
}

struct mm_forecaster *mm_forecaster_new(const struct mm_forecast_run *runs, size_t count,
                                        const struct mm_library *library,
                                        struct cca_error *err)
{
    return make(runs, count, 0, library, err);
}

struct mm_forecaster *mm_forecaster_flat(struct mm_forecaster *f, struct cca_error *err)
{
    if (!f->flat)
        f->flat = make(f->runs, f->count, 1, f->library, err);
    return f->flat;
}

void mm_forecaster_free(struct mm_forecaster *forecaster)
{
    if (!forecaster)
        return;
    mm_forecaster_free(forecaster->flat);
    mm_structure_done(&forecaster->structure);
    free(forecaster->left_out);
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
