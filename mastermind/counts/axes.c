/* SPDX-License-Identifier: BSD-3-Clause */
/* axes.c: gather, compare and name the parameters of runs. */
#include "mastermind/counts/axes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define MOST_DIVISORS 3
/* smallest value of a divisor; smaller whole numbers are numbers of levels */
#define LEAST_DIVISOR 4

double mm_axis_number(const char *text)
{
    char *end;
    double value;

    if (!text || !*text || strspn(text, "0123456789.+-eE") != strlen(text))
        return NAN;
    value = strtod(text, &end);
    return *end || !isfinite(value) ? NAN : value;
}

size_t mm_axes_find(const struct mm_axes *axes, enum mm_axis_kind kind, const char *name)
{
    for (size_t i = 0; i < axes->count; i++)
        if (axes->items[i].kind == kind && strcmp(axes->items[i].name, name) == 0)
            return i;
    return MM_NO_AXIS;
}

static const struct mm_run_values *values_of(const struct mm_run *run,
                                             enum mm_axis_kind kind)
{
    return kind == MM_AXIS_VARIABLE    ? &run->variables
           : kind == MM_AXIS_PARAMETER ? &run->set
                                       : &run->classes;
}

/* --- Gathering --------------------------------------------------------------------- */

static struct mm_axis *add_axis(struct mm_axes *axes, enum mm_axis_kind kind,
                                const char *name)
{
    struct mm_axis *axis = cca_array_add(&axes->items, &axes->count, sizeof *axis);

    if (!axis)
        return NULL;
    axis->kind = kind;
    axis->name = name;
    axis->same_as = axes->count - 1;
    axis->text = calloc(axes->runs + 1, sizeof *axis->text);
    axis->number = calloc(axes->runs + 1, sizeof *axis->number);
    return axis->text && axis->number ? axis : NULL;
}

static int gather(struct mm_axes *axes, const struct mm_run *const *runs,
                  enum mm_axis_kind kind)
{
    for (size_t r = 0; r < axes->runs; r++) {
        const struct mm_run_values *values = values_of(runs[r], kind);

        for (size_t i = 0; i < values->count; i++) {
            size_t at = mm_axes_find(axes, kind, values->items[i].name);

            if (at == MM_NO_AXIS && !add_axis(axes, kind, values->items[i].name))
                return -ENOMEM;
            if (at == MM_NO_AXIS)
                at = axes->count - 1;
            axes->items[at].text[r] = values->items[i].text;
        }
    }
    return 0;
}

static int gather_ranks(struct mm_axes *axes, const struct mm_run *const *runs)
{
    struct mm_axis *axis = add_axis(axes, MM_AXIS_RANKS, "ranks");

    axes->rank_text = calloc(axes->runs + 1, sizeof *axes->rank_text);
    axes->is_crowded = calloc(axes->runs + 1, 1);
    if (!axis || !axes->rank_text || !axes->is_crowded)
        return -ENOMEM;
    for (size_t r = 0; r < axes->runs; r++) {
        axes->is_crowded[r] = (unsigned char)mm_run_is_crowded(runs[r]);
        snprintf(axes->rank_text[r], sizeof axes->rank_text[r], "%d", runs[r]->ranks);
        axis->text[r] = axes->rank_text[r];
    }
    return 0;
}

/* --- Comparing --------------------------------------------------------------------- */

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_value(const struct mm_axis *a, const struct mm_axis *b, size_t run)
{
    if (a->is_number && b->is_number)
        return a->number[run] == b->number[run];
    return same_text(a->text[run], b->text[run]);
}

static void describe(struct mm_axis *axis, size_t runs)
{
    axis->is_number = axis->kind != MM_AXIS_CLASS;
    for (size_t r = 0; r < runs; r++) {
        axis->number[r] = mm_axis_number(axis->text[r]);
        axis->is_number &= !isnan(axis->number[r]);
    }
    for (size_t r = 1; r < runs; r++)
        axis->varies |= !same_text(axis->text[r], axis->text[0]);
}

static size_t different_values(const struct mm_axis *axis, size_t runs)
{
    size_t found = 0;

    for (size_t r = 0; r < runs; r++) {
        size_t k = 0;

        while (k < r && !same_text(axis->text[k], axis->text[r]))
            k++;
        found += k == r;
    }
    return found;
}

/* Link axes (parameters of runs) with equal values. An axis that does not vary is never
 * linked, because users may set each of them. */
static void link_same(struct mm_axes *axes)
{
    for (size_t i = 1; i < axes->count; i++) {
        struct mm_axis *axis = &axes->items[i];

        for (size_t k = 0; k < i && axis->varies && axis->same_as == i; k++) {
            const struct mm_axis *other = &axes->items[k];
            size_t r = 0;

            if (!other->varies || other->kind != MM_AXIS_VARIABLE ||
                axis->kind == MM_AXIS_VARIABLE)
                continue;
            while (r < axes->runs && same_value(axis, other, r))
                r++;
            if (r == axes->runs)
                axis->same_as = k;
        }
    }
}

/* Mark divisors: whole numbers that did not vary, each value once and only a few. Take
 * variables only: a parameter that the script fixes, such as an angle, divides no mesh.
 */
static void mark_divisors(struct mm_axes *axes)
{
    size_t marked = 0;

    for (size_t i = 0; i < axes->count && marked < MOST_DIVISORS && axes->runs; i++) {
        struct mm_axis *axis = &axes->items[i];
        double number = axis->number[0];
        size_t k = 0;

        if (axis->varies || !axis->is_number || axis->kind != MM_AXIS_VARIABLE ||
            number < LEAST_DIVISOR || number != floor(number))
            continue;
        while (k < i &&
               !(axes->items[k].is_divisor && axes->items[k].number[0] == number))
            k++;
        axis->is_divisor = k == i;
        marked += k == i;
    }
}

static int is_class_name(const struct mm_axes *axes, const char *text)
{
    for (size_t i = 0; i < axes->count; i++)
        for (size_t r = 0; axes->items[i].kind == MM_AXIS_CLASS && r < axes->runs; r++)
            if (axes->items[i].text[r] && strcmp(axes->items[i].text[r], text) == 0)
                return 1;
    return 0;
}

/* True for a variable of the runs if every value of it is the name of a class in these
 * runs. */
static int names_classes(const struct mm_axes *axes, const struct mm_axis *axis)
{
    size_t found = 0;

    for (size_t r = 0; r < axes->runs; r++) {
        if (axis->text[r] && !is_class_name(axes, axis->text[r]))
            return 0;
        found += axis->text[r] != NULL;
    }
    return axis->kind == MM_AXIS_VARIABLE && axis->varies && found;
}

int mm_axes_init(struct mm_axes *axes, const struct mm_run *const *runs, size_t count)
{
    int result = 0;

    *axes = (struct mm_axes){.runs = count};
    for (int kind = MM_AXIS_VARIABLE; kind <= MM_AXIS_CLASS && !result; kind++)
        result = gather(axes, runs, (enum mm_axis_kind)kind);
    if (!result)
        result = gather_ranks(axes, runs);
    if (result)
        return result;
    for (size_t i = 0; i < axes->count; i++)
        describe(&axes->items[i], count);
    link_same(axes);
    mark_divisors(axes);
    for (size_t i = 0; i < axes->count; i++) {
        struct mm_axis *axis = &axes->items[i];
        int class_too = 0;

        for (size_t k = 0; k < axes->count; k++)
            class_too |=
                axes->items[k].same_as == i && axes->items[k].kind == MM_AXIS_CLASS;
        axis->names_classes = !class_too && names_classes(axes, axis);
        axis->is_name_of_run = axis->varies && !axis->is_number && !class_too &&
                               axis->kind != MM_AXIS_CLASS && count > 2 &&
                               2 * different_values(axis, count) > count;
        axis->is_name_of_run |= axis->names_classes;
    }
    return 0;
}

void mm_axes_done(struct mm_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        free(axes->items[i].text);
        free(axes->items[i].number);
    }
    free(axes->items);
    free(axes->rank_text);
    free(axes->is_crowded);
    *axes = (struct mm_axes){0};
}

int mm_axis_counts(const struct mm_axes *axes, size_t axis)
{
    return axes->items[axis].same_as == axis && !axes->items[axis].is_name_of_run;
}

size_t mm_axes_ranks(const struct mm_axes *axes)
{
    for (size_t i = 0; i < axes->count; i++)
        if (axes->items[i].kind == MM_AXIS_RANKS)
            return mm_axis_counts(axes, i) && axes->items[i].varies ? i : MM_NO_AXIS;
    return MM_NO_AXIS;
}

int mm_axes_same_run(const struct mm_axes *axes, size_t a, size_t b)
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
