/* SPDX-License-Identifier: BSD-3-Clause */
/* structure.c: quantities of the runs, and the exogenous counts among them. */
#include "mastermind/counts/structure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "mastermind/counts/classes.h"
#include "mastermind/counts/parts.h"
#include "mastermind/counts/means.h"

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

struct mm_quantity *mm_quantity_add(struct mm_structure *structure,
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
    quantity = mm_quantity_add(structure, kind, cell);
    if (!quantity)
        return NULL;
    if (basis)
        quantity->basis = *basis;
    for (size_t r = 0; r < structure->runs; r++)
        quantity->y[r] = value_of(structure, quantity, r);
    return quantity;
}

/* Replace values of equal runs by their (lower) median, so that a run that the host
 * delayed does not affect the others. Returns 0 or -ENOMEM. */
static int take_medians(const struct mm_structure *structure, const double *y,
                        double *medians)
{
    double *group = calloc(structure->runs + 1, sizeof *group);

    for (size_t a = 0; a < structure->runs && group; a++) {
        size_t count = 0;

        for (size_t b = 0; b < structure->runs; b++)
            if (!isnan(y[b]) && mm_axes_same_run(&structure->axes, a, b))
                group[count++] = y[b];
        if (count)
            qsort(group, count, sizeof *group, cca_order_double);
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
    quantity = mm_quantity_add(structure, kind, cell);
    if (!quantity)
        return NULL;
    quantity->key = key;
    if (kind == MM_QUANTITY_GIVEN)
        return take_medians(structure, y, quantity->y) ? NULL : quantity;
    memcpy(quantity->y, y, structure->runs * sizeof *y);
    return quantity;
}

void mm_driver_print(const struct mm_structure *structure, size_t driver, char *text,
                     size_t size)
{
    snprintf(text, size, "calls of %s",
             structure->cells.vertices[structure->driver_cell[driver][1]].name);
}

/* --- Requests ---------------------------------------------------------------------- */

int mm_structure_init(struct mm_structure *structure, const struct mm_run *const *runs,
                      const struct mm_profile *const *profiles, size_t count, int flat,
                      struct cca_error *err)
{
    *structure = (struct mm_structure){.runs = count};
    if (mm_axes_init(&structure->axes, runs, count) ||
        mm_cells_init(&structure->cells, profiles, count, flat) ||
        mm_drivers_find(structure, profiles))
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

/* True for a negative value of a parameter that was never negative: powers and logarithms
 * do not extend there. */
static int is_below_zero(const struct mm_structure *structure, const struct mm_axis *axis,
                         const char *text)
{
    for (size_t r = 0; r < structure->runs; r++)
        if (!axis->is_number || axis->number[r] < 0)
            return 0;
    return mm_axis_number(text) < 0;
}

/* True for a variable of the script that sets the class of an instance in all runs or,
 * where runs overruled it, in the requested run. */
static int names_class(const struct mm_structure *structure, const struct mm_asked *asked,
                       size_t at)
{
    for (size_t i = 0; i < structure->axes.count; i++) {
        const struct mm_axis *axis = &structure->axes.items[i];
        const char *word = asked->text[axis->same_as];

        if (axis->kind == MM_AXIS_CLASS &&
            (axis->same_as == at ||
             (structure->axes.items[at].kind == MM_AXIS_VARIABLE && word &&
              asked->text[at] && strcmp(word, asked->text[at]) == 0)))
            return 1;
    }
    return 0;
}

/* Check that a value occurred in a run, unless it is a number of a varied parameter. A
 * class that never ran in its slot is accepted: its calls are taken from the other
 * classes. */
static int check_axis(const struct mm_structure *structure, const struct mm_asked *asked,
                      size_t at, struct cca_error *err)
{
    const struct mm_axis *axis = &structure->axes.items[at];
    const char *text = asked->text[at];
    int ran = 0;

    if (is_below_zero(structure, axis, text))
        return cca_error_set(err, -ENODATA, "%s = %s is below 0, and no run had that",
                             axis->name, text);
    for (size_t r = 0; r < structure->runs; r++)
        ran |= text && axis->text[r] ? strcmp(text, axis->text[r]) == 0
                                     : text == axis->text[r];
    if (ran || axis->kind == MM_AXIS_CLASS || axis->is_name_of_run ||
        (axis->varies && axis->is_number && text && !isnan(mm_axis_number(text))))
        return 0;
    if (names_class(structure, asked, at))
        return 0;
    if (axis->is_number && !isnan(mm_axis_number(text)) &&
        mm_axis_number(text) == axis->number[0])
        return 0;
    if (axis->varies)
        return cca_error_set(err, -ENODATA, "no run has %s = %s", axis->name,
                             text ? text : "(nothing)");
    return cca_error_set(
        err, -ENODATA, "%s was %s in all runs: the effect of %s is unknown", axis->name,
        axis->text[0] ? axis->text[0] : "absent", text ? text : "another value");
}

int mm_structure_ask(struct mm_structure *structure, struct mm_asked *asked,
                     struct cca_error *err)
{
    for (size_t i = 0; i < structure->axes.count; i++) {
        int result;

        if (!mm_axis_counts(&structure->axes, i))
            continue;
        result = check_axis(structure, asked, i, err);
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

/* Multiply the number of calls by the mean of a function over these calls. */
static void multiply_calls(struct mm_amount *amount, double mean)
{
    double low = amount->number.low * mean, high = amount->number.high * mean;

    amount->number.value *= mean;
    amount->number.low = fmin(low, high);
    amount->number.high = fmax(low, high);
    amount->own *= fabs(mean);
    for (size_t d = 0; d < MM_DRIVERS; d++)
        amount->driver[d] *= fabs(mean);
    snprintf(amount->law, sizeof amount->law, "calls of known sizes");
}

/* Predict calls, or a sum over them, from call sizes known one by one; only the number of
 * calls then needs a scaling function. Returns 1; 0: sizes are not known; -ENOMEM with
 * `err`. */
static int amount_by_sizes(struct mm_structure *structure, struct mm_quantity *quantity,
                           const struct mm_asked *asked, struct mm_amount *amount,
                           struct cca_error *err)
{
    int is_sum = quantity->kind == MM_QUANTITY_SUM, found;
    double mean;

    found = mm_sizes_mean(structure, quantity->cell,
                          is_sum ? &quantity->basis : &(struct mm_basis){MM_BASIS_ONE},
                          asked, &mean, err);
    if (found <= 0 || !is_sum)
        return found;
    quantity = mm_structure_quantity(structure, MM_QUANTITY_CALLS, quantity->cell, NULL);
    if (!quantity)
        return cca_no_memory(err);
    if (mm_classes_amount(structure, quantity, asked, amount, err))
        return err->code;
    amount->is_by_sizes = 1;
    if (isfinite(amount->number.value))
        multiply_calls(amount, mean);
    return 1;
}

int mm_structure_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                        const struct mm_asked *asked, struct mm_amount *amount,
                        struct cca_error *err)
{
    int is_sum = quantity->kind == MM_QUANTITY_CALLS || quantity->kind == MM_QUANTITY_SUM;
    int result = mm_classes_amount(structure, quantity, asked, amount, err);

    if (result || (isfinite(amount->number.value) && amount->own == 0))
        return result;
    if (is_sum && quantity->cell < structure->cells.count)
        result = amount_by_sizes(structure, quantity, asked, amount, err);
    if (result || (!is_sum && quantity->kind != MM_QUANTITY_COST))
        return result < 0 ? result : 0;
    return mm_means_join(structure, quantity, asked, amount, err);
}

int mm_structure_lacks_level(struct mm_structure *structure, const struct mm_asked *asked,
                             struct cca_error *err)
{
    const struct mm_cells *cells = &structure->cells;
    double *y = calloc(structure->runs + 1, sizeof *y), finest = MM_NO_LEVEL;
    struct mm_quantity *quantity = NULL;
    struct mm_amount amount;

    for (size_t r = 0; r < structure->runs && y; r++) {
        y[r] = cells->most_level[r];
        finest = fmax(finest, y[r]);
    }
    if (y)
        quantity = mm_structure_numbers(structure, MM_QUANTITY_GIVEN, cells->most_level,
                                        SIZE_MAX, y);
    free(y);
    if (!quantity)
        return cca_no_memory(err);
    if (finest == MM_NO_LEVEL)
        return 0;
    if (mm_structure_amount(structure, quantity, asked, &amount, err))
        return err->code;
    return amount.number.value > finest + .5;
}
