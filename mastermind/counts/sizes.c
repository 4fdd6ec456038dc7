/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.c: size classes that all runs share, each linear in one parameter. */
#include "mastermind/counts/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/same.h"

#define MOST_CLASSES 256
#define ENOUGH 3 /* least number of different values of a parameter that prove a line */

/* Calls of one size in a run. */
struct size_class {
    double x[MONITOR_MAX_IN];
    double share; /* share of the run's calls that have this size */
};

struct sizes {
    const struct mm_structure *s;
    const struct mm_asked *asked;
    size_t cell, in_count, classes;
    struct size_class *of; /* [runs][classes] sizes of each run, ascending by in-values */
};

static int class_order(const void *left, const void *right)
{
    const struct size_class *a = left, *b = right;

    for (size_t k = 0; k < MONITOR_MAX_IN; k++)
        if (a->x[k] != b->x[k])
            return a->x[k] < b->x[k] ? -1 : 1;
    return 0;
}

static void list_classes(const struct sizes *sizes, size_t run)
{
    const struct mm_cell *cell = &sizes->s->cells.items[sizes->cell];
    const struct mm_cell_run *of = &cell->runs[run];
    struct size_class *list = sizes->of + run * sizes->classes;

    for (size_t i = 0; i < of->count; i++) {
        memset(&list[i], 0, sizeof list[i]);
        mm_cells_numbers(sizes->s->cells.vertices[cell->vertex].method, of->tuples[i].in,
                         list[i].x);
        list[i].share = of->tuples[i].calls / of->calls;
    }
    qsort(list, of->count, sizeof *list, class_order);
}

static int is_same(double a, double b)
{
    return fabs(a - b) <= CCA_SAME * fmax(fabs(a), fabs(b));
}

/* True if the sizes have the same shares of the calls in all runs. */
static int have_same_shares(const struct sizes *sizes)
{
    for (size_t r = 1; r < sizes->s->runs; r++)
        for (size_t i = 0; i < sizes->classes; i++)
            if (!is_same(sizes->of[r * sizes->classes + i].share, sizes->of[i].share))
                return 0;
    return 1;
}

/* Fit the in-value of a size class as a linear function of a parameter of the runs; 0: it
 * is not linear. */
static int line_value(const struct sizes *sizes, const struct mm_axis *axis,
                      const char *text, size_t at, size_t in, double *value)
{
    const struct size_class *of = sizes->of + at;
    size_t a = 0, b = 0, different = 0;
    double slope;

    for (size_t r = 0; r < sizes->s->runs; r++) {
        size_t k = 0;

        a = axis->number[r] < axis->number[a] ? r : a;
        b = axis->number[r] > axis->number[b] ? r : b;
        while (k < r && axis->number[k] != axis->number[r])
            k++;
        different += k == r;
    }
    if (different < ENOUGH)
        return 0;
    slope = (of[b * sizes->classes].x[in] - of[a * sizes->classes].x[in]) /
            (axis->number[b] - axis->number[a]);
    for (size_t r = 0; r < sizes->s->runs; r++)
        if (!is_same(of[r * sizes->classes].x[in],
                     of[a * sizes->classes].x[in] +
                         slope * (axis->number[r] - axis->number[a])))
            return 0;
    *value =
        of[a * sizes->classes].x[in] + slope * (mm_axis_number(text) - axis->number[a]);
    return isfinite(*value);
}

/* An in-value of a size class in the requested run: constant in all runs, or linear in a
 * parameter. */
static int class_value(const struct sizes *sizes, size_t at, size_t in, double *value)
{
    const struct mm_axes *axes = &sizes->s->axes;
    int constant = 1;

    *value = sizes->of[at].x[in];
    for (size_t r = 1; r < sizes->s->runs; r++)
        constant &= sizes->of[r * sizes->classes + at].x[in] == *value;
    if (constant)
        return 1;
    for (size_t i = 0; i < axes->count; i++)
        if (mm_axis_counts(axes, i) && axes->items[i].is_number &&
            axes->items[i].varies && sizes->asked->text[i] &&
            line_value(sizes, &axes->items[i], sizes->asked->text[i], at, in, value))
            return 1;
    return 0;
}

/* Number of size classes, if equal in all runs; 0: it differs, or sizes are unknown. */
static size_t count_classes(const struct mm_structure *s, size_t cell)
{
    const struct mm_cell_run *runs = s->cells.items[cell].runs;

    for (size_t r = 0; r < s->runs; r++)
        if (runs[r].count != runs[0].count || runs[r].unknown > 0 || !(runs[r].calls > 0))
            return 0;
    return runs[0].count <= MOST_CLASSES ? runs[0].count : 0;
}

static int sum_classes(const struct sizes *sizes, const struct mm_basis *basis,
                       double *mean)
{
    double sum = 0;

    for (size_t i = 0; i < sizes->classes; i++) {
        double x[MONITOR_MAX_IN] = {0};

        for (size_t k = 0; k < sizes->in_count; k++)
            if (!class_value(sizes, i, k, &x[k]))
                return 0;
        sum += sizes->of[i].share * mm_basis_value(basis, x);
    }
    *mean = sum;
    return isfinite(sum);
}

int mm_sizes_mean(const struct mm_structure *s, size_t cell, const struct mm_basis *basis,
                  const struct mm_asked *asked, double *mean, struct cca_error *err)
{
    struct sizes sizes = {.s = s, .asked = asked, .cell = cell};
    const struct mm_method_info *method =
        s->cells.vertices[s->cells.items[cell].vertex].method;
    int found;

    sizes.classes = count_classes(s, cell);
    if (!sizes.classes || !method)
        return 0;
    sizes.in_count = method->in_count;
    sizes.of = calloc(s->runs * sizes.classes, sizeof *sizes.of);
    if (!sizes.of)
        return cca_no_memory(err);
    for (size_t r = 0; r < s->runs; r++)
        list_classes(&sizes, r);
    found = have_same_shares(&sizes) && sum_classes(&sizes, basis, mean);
    free(sizes.of);
    return found;
}
