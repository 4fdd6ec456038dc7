/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c: regions of calls in which a class of a slot is best, from the models of the
 * classes and the calls of the first run.
 *
 *   calls of the first run ─┐
 *   models of each class   ─┴▶ cost of every call with every class ─▶ regions of
 *                              in-values (choice/regions.h) ─▶ file for `dispatch` */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/statistics.h"
#include "mastermind/cmd/choose/dispatch.h"

static void dispatch_done(struct mm_dispatch *d)
{
    for (size_t i = 0; i < d->method_count; i++) {
        free(d->methods[i].points);
        free(d->methods[i].numbers);
        free(d->methods[i].modes);
        mm_regions_done(&d->methods[i].regions);
    }
    free(d->methods);
    free(d->classes);
    free(d->slot);
}

/* --- Slot and classes ------------------------------------------------------ */

const char *mm_dispatch_setting(const char *class_name)
{
    const char *colon = strrchr(class_name, ':');

    return colon && strchr(colon, '=') ? colon + 1 : NULL;
}

const char *mm_dispatch_word(const char *class_name)
{
    const char *setting = mm_dispatch_setting(class_name);

    return setting ? setting : class_name;
}

/* The length of the instance's name without the class or setting that a choice has added
 * to it: "sort_RadixSort", "libblas_threads=1". */
static size_t stem_length(const struct mm_method_info *method)
{
    const char *word = mm_dispatch_word(method->class_name);
    const size_t whole = strlen(method->instance), added = strlen(word) + 1;

    return whole > added && method->instance[whole - added] == '_' &&
                   strcmp(method->instance + whole - added + 1, word) == 0
               ? whole - added
               : whole;
}

int mm_dispatch_has(const struct mm_dispatch *d, const struct mm_method_info *method)
{
    const size_t length = strlen(d->slot);

    return strcmp(method->instance, d->slot) == 0 ||
           (strncmp(method->instance, d->slot, length) == 0 &&
            stem_length(method) == length);
}

/* The classes with models of a method, other than `class_name`. */
static size_t count_rivals(const struct mm_library *library,
                           const struct mm_method_info *method)
{
    size_t count = 0;

    for (size_t i = 0; i < library->count; i++) {
        const struct mm_method_info *of = library->sets[i].method;

        count += strcmp(of->port_type, method->port_type) == 0 &&
                 strcmp(of->method, method->method) == 0 &&
                 strcmp(of->class_name, method->class_name) != 0;
    }
    return count;
}

/* Find the slot: the instance of --slot, or the only instance whose port has models of
 * several classes. Returns -1 to go on. */
static int find_slot(struct mm_dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;

    if (d->asked->slot && !(d->slot = strdup(d->asked->slot)))
        return mm_no_memory();
    for (size_t i = 0; i < rows->method_count; i++) {
        const struct mm_method_info *method = rows->methods[i];
        const int is_library = mm_dispatch_setting(method->class_name) != NULL;

        if (!count_rivals(d->library, method) || !*method->port_type ||
            (d->asked->slot && !mm_dispatch_has(d, method)))
            continue;
        if (d->port &&
            (strcmp(d->port_type, method->port_type) != 0 || !mm_dispatch_has(d, method)))
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s and %s have models of several classes: name one by "
                             "--slot",
                             mm_safe(d->slot), mm_safe(method->instance));
        if (!d->port) {
            d->port = method->port;
            d->port_type = method->port_type;
            if (!d->slot) /* of rivals, only settings have no instance beside them */
                d->slot =
                    strndup(method->instance,
                            is_library ? stem_length(method) : strlen(method->instance));
            if (!d->slot)
                return mm_no_memory();
        }
        d->is_library |= is_library;
        d->is_threads |= is_library && strncmp(mm_dispatch_setting(method->class_name),
                                               "threads=", 8) == 0;
    }
    if (d->port)
        return -1;
    return d->slot ? mm_refuse(MM_EXIT_NO,
                               "no rules: no other class of the runs has the port of %s",
                               mm_safe(d->slot))
                   : mm_refuse(MM_EXIT_NO,
                               "no rules: no port of the first run has models of several "
                               "classes");
}

/* True if all classes ran side by side in the first run, as `record --try` does it: what
 * differs between runs is then common to them. */
static int are_beside(const struct mm_dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;
    size_t found = 0;

    for (size_t c = 0; c < d->class_count; c++)
        for (size_t i = 0; i < rows->method_count; i++)
            if (strcmp(rows->methods[i]->class_name, d->classes[c]) == 0 &&
                strcmp(rows->methods[i]->port_type, d->port_type) == 0) {
                found++;
                break;
            }
    return d->is_library && found == d->class_count;
}

static int add_class(struct mm_dispatch *d, const char *name)
{
    for (size_t i = 0; i < d->class_count; i++)
        if (strcmp(d->classes[i], name) == 0)
            return 0;
    if (cca_array_reserve(&d->classes, d->class_count, sizeof *d->classes))
        return -ENOMEM;
    d->classes[d->class_count++] = name;
    return 0;
}

static int add_classes(struct mm_dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;
    int status = 0;

    for (size_t i = 0; i < rows->method_count && !status; i++)
        if (strcmp(rows->methods[i]->instance, d->slot) == 0 &&
            strcmp(rows->methods[i]->port_type, d->port_type) == 0)
            status = add_class(d, rows->methods[i]->class_name);
    for (size_t i = 0; i < d->library->count && !status; i++)
        if (strcmp(d->library->sets[i].method->port_type, d->port_type) == 0)
            status = add_class(d, d->library->sets[i].method->class_name);
    return status;
}

/* --- Costs ------------------------------------------------------------------ */

static double value_of(const struct mm_method_info *method, const union monitor_value *in,
                       size_t at)
{
    return monitor_value_absent(in[at], method->values[at].type)
               ? NAN
               : mm_in_value(method, in, at);
}

/* Measured calls of a class with equal modes, and parameters within half an octave of
 * each other, beside the model of these calls. */
struct cell {
    int at[MONITOR_MAX_IN];
    double calls, measured, modelled; /* sums over the calls */
    double squares; /* sum of squared differences between calls and `measured` as the
                     * model has it at their sizes */
};

/* A class that calls may go to. */
struct candidate {
    const struct mm_model_set *set; /* NULL: the class has no model of the method */
    struct cell *cells;
    size_t cell_count;
};

/* The least number of calls of a cell whose mean is taken in place of the model. */
#define ENOUGH 8

static void find_place(const struct mm_method_info *method, const union monitor_value *in,
                       int *at)
{
    memset(at, 0, MONITOR_MAX_IN * sizeof *at);
    for (size_t v = 0; v < method->in_count; v++) {
        const double x = value_of(method, in, v);

        at[v] = isnan(x)                                           ? INT32_MIN
                : method->values[v].kind == MONITOR_MODE || x == 0 ? (int)x
                : x > 0 ? 1000 + (int)floor(2 * log2(x))
                        : -1000 - (int)floor(2 * log2(-x));
    }
}

static struct cell *find_cell(const struct candidate *c, const int *at)
{
    for (size_t i = 0; i < c->cell_count; i++)
        if (memcmp(c->cells[i].at, at, sizeof c->cells[i].at) == 0)
            return &c->cells[i];
    return NULL;
}

/* The model's mean of a call, and its standard error; 0: it has none. */
static int model_cost(const struct candidate *c, const struct mm_method_info *method,
                      const union monitor_value *in, struct mm_estimate *estimate)
{
    union monitor_value mapped[MONITOR_MAX_IN];
    const char *missing;
    const struct mm_model *model =
        c->set ? mm_model_set_find(c->set, method, in, mapped, &missing) : NULL;

    if (!model || !mm_model_knows(model, mapped))
        return 0;
    mm_model_estimate(model, mapped, estimate);
    return isfinite(estimate->mean) && estimate->mean > 0;
}

/* Fill the cells of a class from its measured calls. Twice: first the means, then the
 * differences from these. */
static int fill_cells(struct candidate *c)
{
    const struct mm_points *points = c->set ? &c->set->points : NULL;
    struct mm_estimate estimate;
    int at[MONITOR_MAX_IN];

    for (int pass = 0; points && pass < 2; pass++)
        for (size_t i = 0; i < points->count; i++) {
            const struct mm_point *point = &points->points[i];
            const double calls = (double)point->n, own = mm_point_own_ns(point);
            struct cell *cell;

            if (!point->n || !model_cost(c, points->method, point->in, &estimate))
                continue;
            find_place(points->method, point->in, at);
            cell = find_cell(c, at);
            if (!cell && !(cell = cca_array_add(&c->cells, &c->cell_count, sizeof *cell)))
                return -ENOMEM;
            memcpy(cell->at, at, sizeof at);
            if (pass == 0) {
                cell->calls += calls;
                cell->measured += calls * own;
                cell->modelled += calls * estimate.mean;
            } else {
                const double here = estimate.mean * cell->measured / cell->modelled;

                cell->squares += calls * (own - here) * (own - here) + point->m2_ns2;
            }
        }
    return 0;
}

/* The cost of one call with a class, and its standard error; NaN: unknown. Where the
 * class was measured at such sizes, the model gives the slope alone. */
static void find_cost(const struct candidate *c, const struct mm_method_info *method,
                      const union monitor_value *in, double *cost, double *error)
{
    struct mm_estimate estimate;
    const struct cell *cell;
    int at[MONITOR_MAX_IN];

    *cost = *error = NAN;
    if (!model_cost(c, method, in, &estimate))
        return;
    *cost = estimate.mean;
    *error = isfinite(estimate.mean_half) ? estimate.mean_half / CCA_NORMAL_95
                                          : .5 * estimate.mean;
    find_place(method, in, at);
    cell = mm_same_in_values(method, c->set->method) ? find_cell(c, at) : NULL;
    if (!cell || cell->calls < ENOUGH)
        return;
    *cost *= cell->measured / cell->modelled;
    *error = *cost * sqrt(cell->squares) / cell->measured;
}

/* Make the points of one method from the calls of the first run. */
static int make_points(struct mm_dispatch *d, struct mm_dispatch_method *m,
                       const struct candidate *candidates)
{
    const struct mm_row_source *rows = &d->base->source;
    const size_t values = m->method->in_count, classes = d->class_count;
    const size_t width = values + 2 * classes;
    size_t room = 0;

    for (size_t i = 0; i < rows->method_count; i++)
        room += d->base->points[i].count;
    m->points = calloc(room + 1, sizeof *m->points);
    m->numbers = calloc(room * width + 1, sizeof *m->numbers);
    m->modes = calloc(2 * values + 1, sizeof *m->modes);
    if (!m->points || !m->numbers || !m->modes)
        return -ENOMEM;
    m->whole = m->modes + values;
    for (size_t v = 0; v < values; v++) {
        m->modes[v] = m->method->values[v].kind == MONITOR_MODE;
        m->whole[v] = m->method->values[v].type == MONITOR_INT64;
    }
    for (size_t i = 0; i < rows->method_count; i++) {
        const struct mm_method_info *method = rows->methods[i];
        const struct mm_points *points = &d->base->points[i];

        if (strcmp(method->method, m->method->method) != 0 ||
            !mm_dispatch_has(d, method) || strcmp(method->port_type, d->port_type) != 0 ||
            !mm_same_in_values(method, m->method))
            continue;
        for (size_t p = 0; p < points->count; p++) {
            double *x = m->numbers + m->input.count * width, *cost = x + values;
            int known = 0;

            for (size_t v = 0; v < values; v++)
                x[v] = value_of(method, points->points[p].in, v);
            for (size_t c = 0; c < classes; c++) {
                find_cost(&candidates[c], m->method, points->points[p].in, &cost[c],
                          &cost[classes + c]);
                known |= isfinite(cost[c]);
            }
            if (known)
                m->points[m->input.count++] = (struct mm_region_point){
                    x, (double)points->points[p].calls, cost, cost + classes};
            else
                m->left_out += (double)points->points[p].calls;
        }
    }
    m->input.points = m->points;
    m->input.value_count = values;
    m->input.class_count = classes;
    m->input.modes = m->modes;
    m->input.whole = m->whole;
    return 0;
}

/* True if several classes have known costs. */
static int has_rivals(const struct mm_dispatch *d, const struct mm_dispatch_method *m)
{
    size_t known = 0;

    for (size_t c = 0; c < d->class_count; c++)
        known += isfinite(m->regions.nodes[0].cost[c]);
    return known > 1;
}

/* Find the regions of one method. Returns 0, -ENODATA: no class is known for all calls,
 * or -ENOMEM. */
static int add_method(struct mm_dispatch *d, const struct mm_method_info *method)
{
    struct candidate *candidates = calloc(d->class_count, sizeof *candidates);
    struct mm_dispatch_method *m =
        cca_array_add(&d->methods, &d->method_count, sizeof *d->methods);
    double runs = INFINITY;
    int status = candidates && m ? 0 : -ENOMEM;

    for (size_t c = 0; c < d->class_count && !status; c++) {
        struct mm_notes none = {0};

        status = mm_library_match(d->library, d->classes[c], NULL, method, d->base, &none,
                                  &candidates[c].set);
        mm_notes_done(&none);
        if (candidates[c].set)
            runs = fmin(runs, (double)candidates[c].set->experiments);
        if (!status)
            status = fill_cells(&candidates[c]);
    }
    if (!status) {
        m->method = method;
        /* a class differs between runs as in a forecast; the normal quantile by which
         * errors are multiplied later is taken out */
        if (!are_beside(d))
            m->input.run_error =
                mm_run_sd_half(d->library->runs.all, fmax(1, runs), MM_FORECAST_LEVEL) /
                CCA_NORMAL_90;
        status = make_points(d, m, candidates);
    }
    if (!status)
        status = mm_regions_make(&m->regions, &m->input);
    if (!status && d->is_library && !has_rivals(d, m))
        status = -ENODATA;
    for (size_t c = 0; candidates && c < d->class_count; c++)
        free(candidates[c].cells);
    free(candidates);
    return status;
}

static int add_methods(struct mm_dispatch *d)
{
    const struct mm_row_source *rows = &d->base->source;
    int status = 0;

    for (size_t i = 0; i < rows->method_count && !status; i++) {
        const struct mm_method_info *method = rows->methods[i];
        size_t before = 0;

        while (before < d->method_count &&
               strcmp(d->methods[before].method->method, method->method) != 0)
            before++;
        if (mm_dispatch_has(d, method) && strcmp(method->port_type, d->port_type) == 0 &&
            before == d->method_count)
            status = add_method(d, method);
        if (status == -ENODATA) { /* no rules for this method */
            mm_regions_done(&d->methods[--d->method_count].regions);
            free(d->methods[d->method_count].points);
            free(d->methods[d->method_count].numbers);
            free(d->methods[d->method_count].modes);
            status = 0;
        }
    }
    return status;
}

/* Open the runs, and find the slot. Of a library whose threads are chosen, the metric is
 * clock time, if none was given: a call waits for threads that the host has not run, and
 * that is no time of its own. Returns -1 to go on. */
static int open_runs(struct mm_dispatch *d, struct mm_run_input *runs, char *const *paths,
                     int count)
{
    struct mm_run_options from = d->asked->from;
    struct cca_error err = {0};
    int result;

    from.how = MM_INPUT_HINTS;
    result = mm_run_input_open(runs, paths, count, &from, NULL);
    for (int pass = 0; pass < 2 && result < 0; pass++) {
        mm_library_free(d->library);
        d->library = mm_input_library(&runs->models, NULL, &err);
        if (!d->library)
            return mm_complain(&err);
        d->base = runs->models.profiles[0];
        if (pass == 0)
            result = find_slot(d);
        if (!d->is_threads || d->asked->from.metric->given)
            break;
        if (pass == 0 && result < 0)
            result = mm_input_by_clock(&runs->models);
    }
    return result;
}

int mm_choose_dispatch(char *const *paths, int count, const struct mm_choose_asked *asked)
{
    struct mm_run_input runs = {0};
    struct mm_dispatch d = {.runs = &runs, .asked = asked};
    int status, result = open_runs(&d, &runs, paths, count);

    if (result < 0) {
        status = add_classes(&d);
        if (!status)
            status = add_methods(&d);
        result = status ? mm_no_memory() : -1;
    }
    if (result < 0)
        result = d.method_count ? mm_dispatch_answer(&d)
                                : mm_refuse(MM_EXIT_NO,
                                            "no rules: no class has models of all calls "
                                            "of %s",
                                            mm_safe(d.slot));
    dispatch_done(&d);
    mm_library_free(d.library);
    mm_run_input_done(&runs);
    return result;
}
