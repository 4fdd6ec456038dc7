/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c: explain a cost by a constant and one count; cross-validation selects the
 * best. */
#include "mastermind/forecast/explain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/counts/counts.h"
#include "common/same.h"

/* factor by which an additional coefficient must lower the error */
#define SIMPLER 1.15
/* additional factor for an explanation by calls that the method does not make */
#define SIBLING 1.3

struct explaining {
    struct mm_forecaster *f;
    size_t vertex;
    const double *y;
    struct mm_explanation *found; /* [MM_EXPLANATIONS] best explanations, ascending by
                                     `worth` */
    size_t count;
    double *z; /* [runs] value of the explaining number in each run; scratch memory */
};

/* --- Fits -------------------------------------------------------------------------- */

/* Least squares of (a + b z - y) / y over the runs whose z differs from `without`; terms
 * 1: a only, 2: b only, 3: both. Returns 0 if the coefficients are undetermined or
 * negative. */
static int fit(const struct explaining *e, const double *z, int terms, double without,
               double *a, double *b)
{
    double s00 = 0, s01 = 0, s11 = 0, r0 = 0, r1 = 0, det;

    for (size_t r = 0; r < e->f->count; r++) {
        double y = e->y[r], one, x;

        if (!(y > 0) || (z && z[r] == without))
            continue;
        one = terms & 1 ? 1 / y : 0;
        x = terms & 2 ? z[r] / y : 0;
        s00 += one * one;
        s01 += one * x;
        s11 += x * x;
        r0 += one;
        r1 += x;
    }
    det = s00 * s11 - s01 * s01;
    *a = *b = 0;
    if (terms == 1 && s00 > 0)
        *a = r0 / s00;
    else if (terms == 2 && s11 > 0)
        *b = r1 / s11;
    else if (terms == 3 && det > CCA_SAME * s00 * s11) {
        *a = (r0 * s11 - r1 * s01) / det;
        *b = (r1 * s00 - r0 * s01) / det;
    } else {
        return 0;
    }
    return *a >= 0 && *b >= 0;
}

/* Relative error at left-out runs (all runs with one z are left out together), weighted
 * by their cost, because a number that predicts the largest runs badly does not explain
 * still larger costs. NaN: too few runs. */
static double left_out_error(const struct explaining *e, const double *z, int terms)
{
    double squares = 0, weight = 0;
    size_t count = 0;

    for (size_t r = 0; r < e->f->count; r++) {
        double a, b;

        if (!(e->y[r] > 0))
            continue;
        if (!fit(e, z, terms, z[r], &a, &b))
            return NAN;
        squares += e->y[r] * pow((a + b * z[r]) / e->y[r] - 1, 2);
        weight += e->y[r];
        count++;
    }
    return count > 2 ? sqrt(squares / weight) : NAN;
}

static size_t different(const struct explaining *e, const double *z)
{
    size_t found = 0;

    for (size_t r = 0; r < e->f->count; r++) {
        size_t k = 0;

        while (k < r && !(e->y[k] > 0 && z[k] == z[r]))
            k++;
        found += e->y[r] > 0 && k == r;
    }
    return found;
}

/* Insert an explanation into the list if it is among the best. Returns the inserted
 * explanation, or NULL. */
static struct mm_explanation *keep(struct explaining *e,
                                   const struct mm_explanation *explanation)
{
    size_t at = e->count;

    while (at && e->found[at - 1].worth > explanation->worth)
        at--;
    if (at == MM_EXPLANATIONS)
        return NULL;
    if (e->count < MM_EXPLANATIONS)
        e->count++;
    memmove(e->found + at + 1, e->found + at, (e->count - 1 - at) * sizeof *e->found);
    e->found[at] = *explanation;
    return &e->found[at];
}

/* Try a number of each run as explanation, with and without a constant, and return the
 * better one; its `worth` is INFINITY if neither is determined. */
static void try_numbers(struct explaining *e, const double *z, double price,
                        struct mm_explanation *best)
{
    size_t sizes = different(e, z);

    best->worth = INFINITY;
    for (int terms = 2; terms <= 3; terms++) {
        struct mm_explanation tried = {.error = NAN};

        if (sizes > (size_t)(terms == 3 ? 2 : 1))
            tried.error = left_out_error(e, z, terms);
        tried.worth = tried.error * price * (terms == 3 ? SIMPLER * SIMPLER : SIMPLER);
        if (tried.worth < best->worth && fit(e, z, terms, NAN, &tried.a, &tried.b))
            *best = tried;
    }
}

/* --- Counts ------------------------------------------------------------------------ */

static double calls_of(const struct mm_structure *s, size_t vertex, size_t run)
{
    double calls = 0;

    for (size_t i = 0; i < s->cells.count; i++)
        if (s->cells.items[i].vertex == vertex)
            calls += s->cells.items[i].runs[run].calls;
    return calls;
}

static double value_of(const void *context, const double *x)
{
    return mm_basis_value(context, x);
}

/* Numbers for each call of the method: calls of `callee` by `caller` (`work` NULL), or
 * the sum of a function over them. */
static void numbers_of(const struct explaining *e, size_t caller, size_t callee,
                       const struct mm_basis *work, double *z)
{
    struct mm_structure *s = &e->f->structure;

    for (size_t r = 0; r < s->runs; r++) {
        double sum = 0;

        for (size_t i = 0; i < s->cells.count; i++) {
            if (s->cells.items[i].caller != caller || s->cells.items[i].vertex != callee)
                continue;
            sum += work ? mm_cells_sum(&s->cells, i, r, value_of, work)
                        : s->cells.items[i].runs[r].calls;
        }
        z[r] = sum / calls_of(s, e->vertex, r);
        if (!isfinite(z[r]))
            z[r] = 0;
    }
}

/* Print "nx*ny of flux.flux.compute a call". */
static void print_what(const struct mm_cell_vertex *vertex, const struct mm_basis *work,
                       char text[160])
{
    size_t used = 0;

    for (size_t f = 0; work && f < work->factors; f++)
        used += (size_t)snprintf(text + used, 160 - used, "%s%.20s", f ? "*" : "",
                                 vertex->method->values[work->factor[f].parameter].name);
    snprintf(text + used, 160 - used, "%s of %.80s a call", work ? "" : "calls",
             vertex->name);
}

/* Try as explanation the number of calls of a cell's edge, or the sum of a function over
 * these calls. */
static int try_sum(struct explaining *e, size_t cell, const struct mm_basis *work,
                   double price)
{
    struct mm_structure *s = &e->f->structure;
    const struct mm_cell *c = &s->cells.items[cell];
    const struct mm_cell_vertex *vertex = &s->cells.vertices[c->vertex];
    struct mm_explanation best, *kept;

    numbers_of(e, c->caller, c->vertex, work, e->z);
    try_numbers(e, e->z, price, &best);
    kept = isfinite(best.worth) ? keep(e, &best) : NULL;
    if (!kept)
        return 0;
    print_what(vertex, work, kept->text);
    kept->is_own = c->caller == e->vertex;
    kept->cell = cell;
    kept->vertex = e->vertex;
    kept->has_work = work != NULL;
    if (work)
        kept->work = *work;
    kept->what = mm_structure_numbers(
        s, MM_QUANTITY_MADE, vertex,
        (c->caller * s->cells.vertex_count + e->vertex) * 2 + (work != NULL), e->z);
    return kept->what ? 0 : -ENOMEM;
}

/* Try the calls of a cell and their work as explanations: costs usually depend on one of
 * these. Squares and single sizes would fit a few runs by chance. */
static int try_edge(struct explaining *e, size_t cell, double price)
{
    struct mm_basis work;
    int result = try_sum(e, cell, NULL, price);

    if (!result && mm_cell_work(&e->f->structure.cells, cell, &work))
        result = try_sum(e, cell, &work, price);
    return result;
}

/* Predict the calls of a cell in the requested run, or their work if `work` is not NULL.
 * Add the amount to *value, and half of its scaling function's interval to *own. */
static int add_cell(struct mm_forecaster *f, const struct mm_asked *asked, size_t cell,
                    const struct mm_basis *work, double *value, double *own,
                    struct cca_error *err)
{
    struct mm_quantity *quantity = mm_structure_quantity(
        &f->structure, work ? MM_QUANTITY_SUM : MM_QUANTITY_CALLS, cell, work);
    struct mm_amount amount;

    if (!quantity)
        return cca_no_memory(err);
    if (mm_structure_amount(&f->structure, quantity, asked, &amount, err))
        return err->code;
    *value += amount.number.value;
    *own += amount.own;
    return 0;
}

int mm_explanation_amount(struct mm_forecaster *f, const struct mm_asked *asked,
                          const struct mm_explanation *by, struct mm_amount *what,
                          struct cca_error *err)
{
    const struct mm_cells *cells = &f->structure.cells;
    const struct mm_cell *of = &cells->items[by->cell];
    double sum = 0, sum_own = 0, calls = 0, calls_own = 0;

    if (mm_structure_amount(&f->structure, by->what, asked, what, err))
        return err->code;
    if (isfinite(what->number.value) && what->own == 0)
        return 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct mm_cell *c = &cells->items[i];

        if (c->caller == of->caller && c->vertex == of->vertex &&
            add_cell(f, asked, i, by->has_work ? &by->work : NULL, &sum, &sum_own, err))
            return err->code;
        if (c->vertex == by->vertex &&
            add_cell(f, asked, i, NULL, &calls, &calls_own, err))
            return err->code;
    }
    *what = (struct mm_amount){.number = {sum / calls, sum / calls, sum / calls}};
    what->own = sum / calls * hypot(sum_own / sum, calls_own / calls);
    return 0;
}

/* True for the first cell of an edge (caller and callee). */
static int is_first(const struct mm_cells *cells, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (cells->items[i].caller == cells->items[at].caller &&
            cells->items[i].vertex == cells->items[at].vertex)
            return 0;
    return 1;
}

static int calls_method(const struct mm_cells *cells, size_t caller, size_t vertex)
{
    for (size_t i = 0; i < cells->count; i++)
        if (cells->items[i].caller == caller && cells->items[i].vertex == vertex)
            return 1;
    return 0;
}

/* Try the explanation that the cost is equal in all runs. */
static void try_constant(struct explaining *e)
{
    struct mm_explanation constant = {.error = NAN};

    for (size_t r = 0; r < e->f->count; r++) /* leave out each run separately */
        e->z[r] = (double)r;
    constant.worth = constant.error = left_out_error(e, e->z, 1);
    if (isfinite(constant.error) && fit(e, NULL, 1, NAN, &constant.a, &constant.b))
        keep(e, &constant);
}

int mm_explain(struct mm_forecaster *forecaster, size_t cell, const double *y,
               struct mm_explanation explanations[MM_EXPLANATIONS], size_t *count,
               struct cca_error *err)
{
    const struct mm_cells *cells = &forecaster->structure.cells;
    struct explaining e = {.f = forecaster,
                           .vertex = cells->items[cell].vertex,
                           .y = y,
                           .found = explanations};
    int result = 0;

    *count = 0;
    e.z = calloc(forecaster->count + 1, sizeof *e.z);
    if (!e.z)
        return cca_no_memory(err);
    try_constant(&e);
    for (size_t i = 0; i < cells->count && !result; i++) {
        const struct mm_cell *c = &cells->items[i];
        int own = c->caller == e.vertex;

        if (c->vertex <= MM_CELL_LOST || c->caller <= MM_CELL_LOST ||
            !is_first(cells, i) ||
            (!own &&
             (c->vertex == e.vertex || !calls_method(cells, c->caller, e.vertex))))
            continue;
        result = try_edge(&e, i, own ? 1 : SIBLING);
    }
    free(e.z);
    *count = e.count;
    return result ? cca_no_memory(err) : 0;
}
