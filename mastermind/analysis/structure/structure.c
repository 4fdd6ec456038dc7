/* SPDX-License-Identifier: BSD-3-Clause */
/* structure.c: quantities of the runs, and the drivers among them. */
#include "mastermind/analysis/structure/structure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/analysis/structure/classes.h"
#include "mastermind/analysis/structure/quantity.h"

#define DRIVER_SHARE .1 /* of a run's time below its calls, at least */
#define SAME 1e-9

/* --- Quantities -------------------------------------------------------------------- */

struct function {
    const struct mm_basis *basis;
};

static double basis_value(const void *context, const double *x)
{
    const struct function *function = context;

    return mm_basis_value(function->basis, x);
}

static double largest_value(const struct mm_structure *structure, size_t cell, size_t run,
                            size_t parameter)
{
    const struct mm_cell *c = &structure->cells.items[cell];
    const struct mm_cell_run *of = &c->runs[run];
    double most = of->count ? -INFINITY : NAN, x[MONITOR_MAX_IN];

    for (size_t i = 0; i < of->count; i++) {
        mm_cells_numbers(structure->cells.vertices[c->vertex].method, of->tuples[i].in,
                         x);
        most = fmax(most, x[parameter]);
    }
    return most;
}

static double value_of(const struct mm_structure *structure,
                       const struct mm_quantity *quantity, size_t run)
{
    struct function function = {&quantity->basis};

    switch (quantity->kind) {
    case MM_QUANTITY_CALLS:
        return structure->cells.items[quantity->cell].runs[run].calls;
    case MM_QUANTITY_MOST:
        return largest_value(structure, quantity->cell, run,
                             quantity->basis.factor[0].parameter);
    default:
        return mm_cells_sum(&structure->cells, quantity->cell, run, basis_value,
                            &function);
    }
}

static struct mm_quantity *add_quantity(struct mm_structure *structure,
                                        enum mm_quantity_kind kind, size_t cell)
{
    struct mm_quantity *quantity;

    if (cca_array_reserve(&structure->quantities, structure->quantity_count,
                          sizeof *structure->quantities))
        return NULL;
    quantity = calloc(1, sizeof *quantity);
    if (!quantity)
        return NULL;
    quantity->y = calloc(structure->runs + 1, sizeof *quantity->y);
    if (!quantity->y) {
        free(quantity);
        return NULL;
    }
    quantity->kind = kind;
    quantity->cell = cell;
    structure->quantities[structure->quantity_count++] = quantity;
    return quantity;
}

struct mm_quantity *mm_structure_quantity(struct mm_structure *structure,
                                          enum mm_quantity_kind kind, size_t cell,
                                          const struct mm_basis *basis)
{
    struct mm_quantity *quantity;

    for (size_t i = 0; i < structure->quantity_count; i++) {
        quantity = structure->quantities[i];
        if (quantity->kind == kind && quantity->cell == cell &&
            (!basis || mm_basis_equal(&quantity->basis, basis)))
            return quantity;
    }
    quantity = add_quantity(structure, kind, cell);
    if (!quantity)
        return NULL;
    if (basis)
        quantity->basis = *basis;
    for (size_t r = 0; r < structure->runs; r++)
        quantity->y[r] = value_of(structure, quantity, r);
    return quantity;
}

/* True for two runs with equal parameters. */
static int same_run(const struct mm_structure *structure, size_t a, size_t b)
{
    for (size_t i = 0; i < structure->axes.count; i++) {
        const struct mm_axis *axis = &structure->axes.items[i];
        const char *one = axis->text[a] ? axis->text[a] : "";
        const char *other = axis->text[b] ? axis->text[b] : "";

        if (mm_axis_counts(&structure->axes, i) && strcmp(one, other) != 0)
            return 0;
    }
    return 1;
}

static int double_order(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Give equal runs their (lower) median: a run that the host held up tells nothing of the
 * others. 0 or -ENOMEM. */
static int take_medians(const struct mm_structure *structure, const double *y,
                        double *medians)
{
    double *group = calloc(structure->runs + 1, sizeof *group);

    for (size_t a = 0; a < structure->runs && group; a++) {
        size_t count = 0;

        for (size_t b = 0; b < structure->runs; b++)
            if (!isnan(y[b]) && same_run(structure, a, b))
                group[count++] = y[b];
        if (count)
            qsort(group, count, sizeof *group, double_order);
        medians[a] = isnan(y[a]) || !count ? NAN : group[(count - 1) / 2];
    }
    if (!group)
        return -ENOMEM;
    free(group);
    return 0;
}

struct mm_quantity *mm_structure_numbers(struct mm_structure *structure,
                                         enum mm_quantity_kind kind, const void *key,
                                         size_t cell, const double *y)
{
    struct mm_quantity *quantity;

    for (size_t i = 0; i < structure->quantity_count; i++) {
        quantity = structure->quantities[i];
        if (quantity->kind == kind && quantity->cell == cell && quantity->key == key)
            return quantity;
    }
    quantity = add_quantity(structure, kind, cell);
    if (!quantity)
        return NULL;
    quantity->key = key;
    if (kind == MM_QUANTITY_GIVEN)
        return take_medians(structure, y, quantity->y) ? NULL : quantity;
    memcpy(quantity->y, y, structure->runs * sizeof *y);
    return quantity;
}

/* --- Drivers ----------------------------------------------------------------------- */

static double calls_between(const struct mm_structure *structure, size_t caller,
                            size_t callee, size_t run)
{
    double calls = 0;

    for (size_t i = 0; i < structure->cells.count; i++) {
        const struct mm_cell *cell = &structure->cells.items[i];

        if ((caller == SIZE_MAX || cell->caller == caller) && cell->vertex == callee)
            calls += cell->runs[run].calls;
    }
    return calls;
}

/* Number of ranks of which a profile has calls. */
static double ranks_of(const struct mm_profile *profile)
{
    int found = 0;

    for (int r = 0; r < profile->ranks.count; r++)
        found += profile->ranks.ends[r].rows + profile->ranks.ends[r].open > 0;
    return found > 1 ? found : 1;
}

/* True where a method is called equally often in all runs, for each rank. */
static int is_steady(const struct mm_structure *structure,
                     const struct mm_profile *const *profiles, size_t vertex)
{
    double first = calls_between(structure, SIZE_MAX, vertex, 0) / ranks_of(profiles[0]);

    for (size_t r = 1; r < structure->runs; r++)
        if (calls_between(structure, SIZE_MAX, vertex, r) / ranks_of(profiles[r]) !=
            first)
            return 0;
    return first > 0;
}

/* True where the numbers are a + b times those of a driver. */
static int follows_driver(const struct mm_structure *structure, const double *y,
                          const struct mm_quantity *driver)
{
    size_t a = 0, b = 0;
    double slope;

    for (size_t r = 0; r < structure->runs; r++) {
        a = driver->y[r] < driver->y[a] ? r : a;
        b = driver->y[r] > driver->y[b] ? r : b;
    }
    if (driver->y[a] == driver->y[b])
        return 0;
    slope = (y[b] - y[a]) / (driver->y[b] - driver->y[a]);
    for (size_t r = 0; r < structure->runs; r++) {
        double expected = y[a] + slope * (driver->y[r] - driver->y[a]);

        if (fabs(y[r] - expected) > SAME * fabs(y[r]))
            return 0;
    }
    return 1;
}

/* Add the calls from `caller` to `callee` as a driver if they vary and no driver has them
 * already. 0 or -ENOMEM. */
static int add_driver(struct mm_structure *structure,
                      const struct mm_profile *const *profiles, size_t caller,
                      size_t callee)
{
    double *y = calloc(structure->runs + 1, sizeof *y);
    struct mm_quantity *quantity;
    int varies = 0, follows = 0;

    if (!y)
        return -ENOMEM;
    for (size_t r = 0; r < structure->runs; r++) {
        y[r] = calls_between(structure, caller, callee, r);
        varies |= y[r] / ranks_of(profiles[r]) != y[0] / ranks_of(profiles[0]);
    }
    for (size_t d = 0; d < structure->driver_count; d++)
        follows |= follows_driver(structure, y, structure->drivers[d]);
    quantity =
        varies && !follows ? add_quantity(structure, MM_QUANTITY_CALLS, SIZE_MAX) : NULL;
    if (quantity) {
        memcpy(quantity->y, y, structure->runs * sizeof *y);
        quantity->is_driver = quantity->is_rounded = 1;
        structure->driver_cell[structure->driver_count][0] = caller;
        structure->driver_cell[structure->driver_count][1] = callee;
        structure->drivers[structure->driver_count++] = quantity;
    }
    free(y);
    return varies && !follows && !quantity ? -ENOMEM : 0;
}

/* Largest share over the runs of the time below calls of a method. */
static double time_share(const struct mm_structure *structure,
                         const struct mm_profile *const *profiles, size_t vertex)
{
    const struct mm_method_info *method = structure->cells.vertices[vertex].method;
    double share = 0;

    for (size_t r = 0; r < structure->runs; r++) {
        const struct mm_dual *dual = profiles[r]->dual;

        for (size_t i = 0; i < profiles[r]->source.method_count && dual->total_ns > 0;
             i++)
            if (strcmp(profiles[r]->source.methods[i]->name, method->name) == 0)
                share = fmax(share, (double)dual->vertices[i].inclusive_ns /
                                        (double)dual->total_ns);
    }
    return share;
}

/* An edge from a steady caller, with the time below its calls. */
struct candidate {
    size_t caller, callee;
    double share;
};

static int candidate_order(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    return (a->share < b->share) - (a->share > b->share);
}

static int find_drivers(struct mm_structure *structure,
                        const struct mm_profile *const *profiles)
{
    struct candidate *candidates = NULL;
    size_t count = 0;
    int result = 0;

    for (size_t i = 0; i < structure->cells.count && !result; i++) {
        const struct mm_cell *cell = &structure->cells.items[i];
        struct candidate *added;
        size_t k = 0;
        double share;

        while (k < count && (candidates[k].caller != cell->caller ||
                             candidates[k].callee != cell->vertex))
            k++;
        if (k < count || cell->caller <= MM_CELL_LOST ||
            !is_steady(structure, profiles, cell->caller))
            continue;
        share = time_share(structure, profiles, cell->vertex);
        if (share < DRIVER_SHARE)
            continue;
        added = cca_array_add(&candidates, &count, sizeof *added);
        if (!added)
            result = -ENOMEM;
        else
            *added = (struct candidate){cell->caller, cell->vertex, share};
    }
    if (count)
        qsort(candidates, count, sizeof *candidates, candidate_order);
    for (size_t i = 0; i < count && !result && structure->driver_count < MM_DRIVERS; i++)
        result =
            add_driver(structure, profiles, candidates[i].caller, candidates[i].callee);
    free(candidates);
    return result;
}

void mm_driver_print(const struct mm_structure *structure, size_t driver, char *text,
                     size_t size)
{
    snprintf(text, size, "calls of %s",
             structure->cells.vertices[structure->driver_cell[driver][1]].name);
}

/* --- Questions --------------------------------------------------------------------- */

int mm_structure_init(struct mm_structure *structure, const struct mm_run *const *runs,
                      const struct mm_profile *const *profiles, size_t count,
                      struct cca_error *err)
{
    *structure = (struct mm_structure){.runs = count};
    if (mm_axes_init(&structure->axes, runs, count) ||
        mm_cells_init(&structure->cells, profiles, count) ||
        find_drivers(structure, profiles))
        return cca_no_memory(err);
    return 0;
}

void mm_structure_done(struct mm_structure *structure)
{
    for (size_t i = 0; i < structure->quantity_count; i++)
        mm_quantity_free(structure->quantities[i]);
    free(structure->quantities);
    mm_cells_done(&structure->cells);
    mm_axes_done(&structure->axes);
    *structure = (struct mm_structure){0};
}

/* Check that a value that is no number of a varied parameter is one that ran. A class
 * that never ran in its slot may stand there: its calls are then those of the others. */
static int check_axis(const struct mm_structure *structure, size_t at, const char *text,
                      struct cca_error *err)
{
    const struct mm_axis *axis = &structure->axes.items[at];
    int ran = 0;

    for (size_t r = 0; r < structure->runs; r++)
        ran |= text && axis->text[r] ? strcmp(text, axis->text[r]) == 0
                                     : text == axis->text[r];
    if (ran || axis->kind == MM_AXIS_CLASS || axis->is_name_of_run ||
        (axis->varies && axis->is_number && text && !isnan(mm_axis_number(text))))
        return 0;
    for (size_t i = 0; i < structure->axes.count; i++) /* the variable of a class */
        if (structure->axes.items[i].same_as == at &&
            structure->axes.items[i].kind == MM_AXIS_CLASS)
            return 0;
    if (axis->is_number && !isnan(mm_axis_number(text)) &&
        mm_axis_number(text) == axis->number[0])
        return 0;
    if (axis->varies)
        return cca_error_set(err, -ENODATA, "no run has %s = %s", axis->name,
                             text ? text : "(nothing)");
    return cca_error_set(
        err, -ENODATA, "%s was %s in all runs: nothing tells what %s changes", axis->name,
        axis->text[0] ? axis->text[0] : "absent", text ? text : "another value");
}

int mm_structure_ask(struct mm_structure *structure, struct mm_asked *asked,
                     struct cca_error *err)
{
    for (size_t i = 0; i < structure->axes.count; i++) {
        int result;

        if (!mm_axis_counts(&structure->axes, i))
            continue;
        result = check_axis(structure, i, asked->text[i], err);
        if (result)
            return result;
    }
    for (size_t d = 0; d < structure->driver_count; d++) {
        int result = mm_structure_amount(structure, structure->drivers[d], asked,
                                         &asked->driver[d], err);

        if (result)
            return result;
    }
    return 0;
}

int mm_structure_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                        const struct mm_asked *asked, struct mm_amount *amount,
                        struct cca_error *err)
{
    return mm_classes_amount(structure, quantity, asked, amount, err);
}

size_t mm_structure_run(const struct mm_structure *structure,
                        const struct mm_asked *asked, int classes)
{
    for (size_t r = 0; r < structure->runs; r++) {
        int same = 1;

        for (size_t i = 0; i < structure->axes.count && same; i++) {
            const struct mm_axis *axis = &structure->axes.items[i];

            if (!mm_axis_counts(&structure->axes, i) || !axis->varies)
                continue;
            if (axis->is_number)
                same = axis->number[r] == mm_axis_number(asked->text[i]);
            else if (classes && asked->text[i] && axis->text[r])
                same = strcmp(axis->text[r], asked->text[i]) == 0;
        }
        if (same)
            return r;
    }
    return structure->runs;
}
