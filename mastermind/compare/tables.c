/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c: count the calls of each method, and compute their typical costs, by run and
 * cell. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/compare/diff.h"
#include "mastermind/cost/cost.h"

/* share of the costliest calls of a size that is excluded from the typical cost */
#define TOP .1

void mm_diff_tables_done(struct mm_diff_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        free(tables->list[i].calls);
        free(tables->list[i].typical);
        free(tables->list[i].base);
        free(tables->list[i].measured);
    }
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        free(tables->whole[i]);
    free(tables->list);
    free(tables->when);
    memset(tables, 0, sizeof *tables);
}

/* A method, which is found in each run by its name. */
struct found {
    const struct mm_method_info *method;   /* the method in the first run that has it */
    const char *program;                   /* name of that run's program; NULL: unknown */
    const struct mm_method_info **methods; /* [runs] the method in each run; NULL: the
                                              run did not call it */
    struct mm_points points; /* calls of all runs by in-values, which are the cells */
    /* calls of the runs of side A, from which its model is made */
    struct mm_points first;
    int differs; /* true if the list of the method's in-values differs between runs */
};

/* --- Typical costs -------------------------------------------------------- */

/* Return the mean cost of the calls of a size, without calls that the host may have
 * disturbed and without the costliest tenth. Slow calls do not affect it if they are
 * rare, but if they are frequent. */
static double typical_cost(const struct mm_point *point)
{
    size_t room = mm_sample_count(&point->sample), count, last;
    struct mm_value *values;
    double weight, kept = 0, sum = 0, limit;

    if (!point->n)
        return NAN;
    values = room ? calloc(room, sizeof *values) : NULL;
    if (!values)
        return point->mean_ns;
    count = mm_evidence_values(&point->sample, values);
    if (!count) {
        free(values);
        return point->mean_ns;
    }
    mm_values_sort(values, count);
    weight = mm_values_weight(values, count);
    limit = weight < 4 ? weight : weight - fmax(1, TOP * weight);
    for (last = 0; last < count && kept < limit; last++) {
        double take = fmin(values[last].weight, limit - kept);

        sum += take * values[last].value;
        kept += take;
    }
    /* of three calls, use the median: the sum is divided by `kept` below */
    if (weight == 3)
        sum = values[count / 2].value * kept;
    free(values);
    return kept > 0 && sum > 0 ? sum / kept : point->mean_ns;
}

/* --- Methods -------------------------------------------------------------- */

/* True for functions and regions of the program itself, which are recorded under the name
 * of its file. */
static int is_of_program(const struct mm_method_info *method, const char *program)
{
    return program && strcmp(method->instance, program) == 0;
}

/* True if a method of a run is the method `found`, also if the programs' files have
 * different names. */
static int is_same(const struct found *found, const struct mm_method_info *method,
                   const char *program)
{
    return strcmp(found->method->name, method->name) == 0 ||
           (is_of_program(found->method, found->program) &&
            is_of_program(method, program) &&
            strcmp(found->method->port, method->port) == 0 &&
            strcmp(found->method->method, method->method) == 0);
}

static struct found *found_of(struct found **list, size_t *count,
                              const struct mm_method_info *method, const char *program,
                              size_t runs)
{
    struct found *found;

    for (size_t i = 0; i < *count; i++)
        if (is_same(&(*list)[i], method, program))
            return &(*list)[i];
    found = cca_array_add(list, count, sizeof *found);
    if (!found)
        return NULL;
    found->method = method;
    found->program = program;
    found->methods = calloc(runs, sizeof(found->methods[0]));
    return found->methods ? found : NULL;
}

static int find_methods(struct found **list, size_t *count,
                        struct mm_profile *const *profiles, const char *const *programs,
                        size_t runs)
{
    for (size_t r = 0; r < runs; r++) {
        const struct mm_profile *profile = profiles[r];

        for (size_t m = 0; m < profile->source.method_count; m++) {
            const struct mm_method_info *method = profile->source.methods[m];
            struct found *found;

            if (!profile->dual->vertices[m].calls)
                continue;
            found = found_of(list, count, method, programs ? programs[r] : NULL, runs);
            if (!found)
                return -ENOMEM;
            found->methods[r] = method;
        }
    }
    return 0;
}

/* Collect the points (calls by in-values) of a method from all runs. */
static int pool(struct found *found, struct mm_profile *const *profiles,
                const size_t runs[2])
{
    const struct mm_method_info *model = NULL;

    for (size_t r = 0; r < runs[0] + runs[1]; r++) {
        const struct mm_method_info *method = found->methods[r];
        const struct mm_points *points;

        if (!method)
            continue;
        if (!model) {
            model = method;
            mm_points_init(&found->points, model);
            mm_points_init(&found->first, model);
        } else if (!mm_same_in_values(model, method)) {
            found->differs = 1;
        }
        points = &profiles[r]->points[method->index];
        if (mm_same_in_values(model, method) &&
            (mm_points_merge(&found->points, points) ||
             (r < runs[0] && mm_points_merge(&found->first, points))))
            return -ENOMEM;
    }
    return 0;
}

/* --- Tables --------------------------------------------------------------- */

static int is_mode_equal(const struct mm_method_info *method,
                         const union monitor_value *a, const union monitor_value *b)
{
    return mm_same_modes(method, a, b);
}

/* Set the costs of the cells by models of side A, one model for each mode. */
static int fill_base(struct mm_diff_table *table, const struct found *found)
{
    const struct mm_points *points = &found->points;
    unsigned char *done = calloc(points->count + 1, 1);

    if (!done)
        return -ENOMEM;
    /* without the cell of unknown values, which has no parameters for a model */
    for (size_t c = 0; c < points->count; c++) {
        struct mm_model model;
        struct cca_error err = {0};
        int status;

        if (done[c])
            continue;
        status = found->first.count ? mm_model_fit(&model, &found->first,
                                                   points->points[c].in, NULL, &err)
                                    : -ENODATA;
        for (size_t k = c; k < points->count; k++)
            if (!done[k] && is_mode_equal(points->method, points->points[c].in,
                                          points->points[k].in)) {
                done[k] = 1;
                if (!status && mm_model_knows(&model, points->points[k].in))
                    table->base[k] = mm_model_typical_ns(&model, points->points[k].in);
            }
        if (!status)
            mm_model_done(&model);
        if (status == -ENOMEM) {
            free(done);
            return status;
        }
    }
    free(done);
    return 0;
}

/* True if cells that both sides have account for less than half of the cost. */
static int needs_base(const struct mm_diff_table *table, const size_t runs[2])
{
    double shared = 0, whole = 0;

    for (size_t c = 0; c < table->cells; c++) {
        double cost[2] = {0, 0};

        for (size_t r = 0; r < runs[0] + runs[1]; r++)
            if (!isnan(table->typical[r * table->cells + c]))
                cost[r >= runs[0]] += table->typical[r * table->cells + c] *
                                      table->calls[r * table->cells + c];
        whole += cost[0] + cost[1];
        shared += cost[0] > 0 && cost[1] > 0 ? cost[0] + cost[1] : 0;
    }
    return runs[1] > 0 && shared < .5 * whole;
}

/* Let all calls of a run weigh as one: their values do not add up. */
static void weigh_as_one(double *calls, size_t cells, double sum)
{
    for (size_t c = 0; c < cells && sum > 0; c++)
        calls[c] /= sum;
}

static int fill_table(struct mm_diff_table *table, const struct found *found,
                      struct mm_profile *const *profiles, const size_t runs[2])
{
    size_t all = runs[0] + runs[1], unknown = found->points.count;

    table->name = found->method->name;
    table->cells = found->points.count + 1; /* the last cell is for unknown values */
    table->calls = calloc(all * table->cells, sizeof *table->calls);
    table->typical = calloc(all * table->cells, sizeof *table->typical);
    table->base = calloc(table->cells, sizeof *table->base);
    table->measured = calloc(all, sizeof *table->measured);
    if (!table->calls || !table->typical || !table->base || !table->measured)
        return -ENOMEM;
    for (size_t c = 0; c < table->cells; c++)
        table->base[c] = NAN;
    for (size_t i = 0; i < all * table->cells; i++)
        table->typical[i] = NAN;
    for (size_t r = 0; r < all; r++) {
        const struct mm_method_info *method = found->methods[r];
        const struct mm_vertex *vertex;
        const struct mm_points *points;
        double known = 0;

        if (!method)
            continue;
        vertex = &profiles[r]->dual->vertices[method->index];
        points = &profiles[r]->points[method->index];
        table->class[r >= runs[0]] = method->class_name;
        table->measured[r] = (double)vertex->exclusive_ns;
        for (size_t i = 0; i < points->count && !found->differs; i++) {
            const struct mm_point *point = &points->points[i];
            const struct mm_point *cell = mm_points_find(&found->points, point->in);
            size_t c = cell ? (size_t)(cell - found->points.points) : unknown;

            table->calls[r * table->cells + c] += (double)point->calls;
            table->typical[r * table->cells + c] = typical_cost(point);
            known += (double)point->calls;
        }
        /* Calls with unknown values, and calls of methods whose parameters differ between
         * runs, belong to the cell of unknown values. */
        if ((double)vertex->calls > known) {
            table->calls[r * table->cells + unknown] += (double)vertex->calls - known;
            if (found->differs || known == 0)
                table->typical[r * table->cells + unknown] =
                    (double)vertex->exclusive_ns /
                    (profiles[r]->source.largest ? 1 : (double)vertex->calls);
        }
        if (profiles[r]->source.largest)
            weigh_as_one(table->calls + r * table->cells, table->cells,
                         (double)vertex->calls);
    }
    return needs_base(table, runs) && !found->differs ? fill_base(table, found) : 0;
}

static int copy_numbers(double **copy, const double *numbers, size_t count)
{
    *copy = calloc(count + 1, sizeof **copy);
    if (!*copy)
        return -ENOMEM;
    memcpy(*copy, numbers, count * sizeof **copy);
    return 0;
}

int mm_diff_tables_read(struct mm_diff_tables *tables, struct mm_profile *const *profiles,
                        const size_t runs[2], const struct mm_diff_runs *about,
                        struct cca_error *err)
{
    struct found *list = NULL;
    size_t count = 0, all = runs[0] + runs[1];
    int status = 0;

    memset(tables, 0, sizeof *tables);
    tables->runs[0] = runs[0];
    tables->runs[1] = runs[1];
    if (about->when)
        status = copy_numbers(&tables->when, about->when, all);
    for (int i = 0; i < MM_DIFF_WHOLES && !status; i++)
        if (about->whole[i])
            status = copy_numbers(&tables->whole[i], about->whole[i], all);
    if (!status)
        status = find_methods(&list, &count, profiles, about->programs, all);
    for (size_t i = 0; i < count && !status; i++) {
        struct mm_diff_table *table =
            cca_array_add(&tables->list, &tables->count, sizeof *table);

        status = table ? pool(&list[i], profiles, runs) : -ENOMEM;
        if (!status)
            status = fill_table(table, &list[i], profiles, runs);
    }
    for (size_t i = 0; i < count; i++) {
        mm_points_done(&list[i].points);
        mm_points_done(&list[i].first);
        free(list[i].methods);
    }
    free(list);
    return status ? cca_no_memory(err) : 0;
}
