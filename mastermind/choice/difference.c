/* SPDX-License-Identifier: BSD-3-Clause */
/* difference.c: shared and separate errors of two forecasts. */
#include "mastermind/choice/difference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/statistics.h"

/* Largest half-width of a logarithm: a factor of 7 in either direction is useless. */
#define MOST_HALF 2.

/* Errors of one cost model in both forecasts. */
struct shared {
    const struct mm_model *model; /* model with the errors; NULL: mean costs of a
                                     method with a class */
    size_t vertex;
    const char *class_name;
    double half_ns[2], cost_ns[2];
};

struct difference {
    const struct mm_forecast *forecasts[2];
    struct shared *models;
    size_t model_count;
    double squares, largest;    /* sum of the squared errors of both sides, and the
                                   largest error, relative to the costs */
    struct mm_decider *decider; /* part with the largest error; NULL: not wanted */
};

static int is_same_class(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The part of a common error that can hide the difference of both sides. A common cause
 * scales both sides: if its half-width is `relative` of the logarithm, the difference
 * shrinks at most to exp(-relative) of its value and keeps its sign. */
static double shrink(double relative)
{
    return relative > 0 && isfinite(relative) ? (1 - exp(-relative)) / relative : 1;
}

/* Add an error of one side (forecast), as a share of its total, to the logarithm of the
 * ratio. The largest error becomes the decider. */
static void add_error(struct difference *d, double half_ns, size_t side,
                      const struct mm_decider *what)
{
    double half = fabs(half_ns) / d->forecasts[side]->total_ns;

    if (half == 0)
        return;
    d->squares += half * half;
    if (!d->decider || !(half > d->largest))
        return;
    d->largest = half;
    *d->decider = *what;
    d->decider->item = side;
}

/* Add an error common to both sides (forecasts) by its difference between the sides, on
 * the side where it is larger. */
static void add_shared(struct difference *d, double half0_ns, double half1_ns,
                       double shrunk, const struct mm_decider *what)
{
    add_error(d, (half0_ns - half1_ns) * shrunk, fabs(half1_ns) > fabs(half0_ns), what);
}

/* --- Models ------------------------------------------------------------------------ */

static int add_cell(struct difference *d, int side, const struct mm_forecast_part *part,
                    const struct mm_forecast_cell *cell)
{
    struct shared *found = NULL;

    for (size_t i = 0; i < d->model_count && !found; i++) {
        struct shared *m = &d->models[i];

        if (cell->model ? m->model == cell->model
                        : !m->model && m->vertex == part->vertex &&
                              is_same_class(m->class_name, part->class_name))
            found = m;
    }
    if (!found) {
        found = cca_array_add(&d->models, &d->model_count, sizeof *found);
        if (!found)
            return -ENOMEM;
        *found = (struct shared){
            .model = cell->model, .vertex = part->vertex, .class_name = part->class_name};
    }
    found->half_ns[side] += cell->model_ns;
    found->cost_ns[side] += cell->cost_ns;
    return 0;
}

static int add_models(struct difference *d)
{
    for (int side = 0; side < 2; side++) {
        const struct mm_forecast *f = d->forecasts[side];

        for (size_t i = 0; i < f->part_count; i++)
            for (size_t k = 0; k < f->parts[i].cell_count; k++)
                if (add_cell(d, side, &f->parts[i], &f->parts[i].cells[k]))
                    return -ENOMEM;
    }
    for (size_t i = 0; i < d->model_count; i++) {
        const struct shared *m = &d->models[i];
        int both = m->cost_ns[0] > 0 && m->cost_ns[1] > 0;

        add_shared(d, m->half_ns[0], m->half_ns[1],
                   both ? shrink(m->half_ns[0] / m->cost_ns[0]) : 1,
                   &(struct mm_decider){.kind = MM_DOUBT_COST,
                                        .vertex = m->vertex,
                                        .class_name = m->class_name});
    }
    return 0;
}

/* --- Calls ------------------------------------------------------------------------- */

/* Find a cell of a forecast in a forecast by the same runs; cells of other runs have
 * other errors. NULL: there is none. */
static const struct mm_forecast_cell *find_cell(const struct mm_forecast *f,
                                                const struct mm_forecast *of, size_t cell)
{
    for (size_t i = 0; i < f->part_count && f->by == of->by; i++)
        for (size_t k = 0; k < f->parts[i].cell_count; k++)
            if (f->parts[i].cells[k].cell == cell)
                return &f->parts[i].cells[k];
    return NULL;
}

/* Add the errors of cells that the other side lacks. */
static void add_own_counts(const struct difference *d, size_t side, double own[2],
                           double driver[2][MM_DRIVERS])
{
    const struct mm_forecast *f = d->forecasts[side];

    for (size_t i = 0; i < f->part_count; i++)
        for (size_t k = 0; k < f->parts[i].cell_count; k++) {
            const struct mm_forecast_cell *a = &f->parts[i].cells[k];

            if (find_cell(d->forecasts[!side], f, a->cell))
                continue;
            own[side] += a->own_ns;
            for (size_t n = 0; n < MM_DRIVERS; n++)
                driver[side][n] += a->driver_ns[n];
        }
}

/* Add the errors of the scaling functions. A scaling function of equally many calls
 * counts with the calls' cost difference between the sides, scaling functions of
 * different calls count separately; the scaling functions of one side add up. */
static void add_counts(struct difference *d)
{
    double own[2] = {0}, driver[2][MM_DRIVERS] = {{0}};

    for (size_t i = 0; i < d->forecasts[0]->part_count; i++) {
        const struct mm_forecast_part *part = &d->forecasts[0]->parts[i];

        for (size_t k = 0; k < part->cell_count; k++) {
            const struct mm_forecast_cell *a = &part->cells[k];
            const struct mm_forecast_cell *b =
                find_cell(d->forecasts[1], d->forecasts[0], a->cell);
            double other = b ? b->own_ns : 0;
            int same = b && a->calls.number.value == b->calls.number.value;

            if (!b)
                continue; /* see add_own_counts */
            if (same)
                own[other > a->own_ns] +=
                    fabs(a->own_ns - other) *
                    shrink(fmax(a->own_ns, other) / fmax(a->cost_ns, b->cost_ns));
            own[0] += same ? 0 : a->own_ns;
            own[1] += same ? 0 : other;
            for (size_t n = 0; n < MM_DRIVERS; n++) {
                double less = shrink(fabs(a->driver_ns[n]) / a->cost_ns);

                driver[0][n] += a->driver_ns[n] * less;
                driver[1][n] += b->driver_ns[n] * less;
            }
        }
    }
    for (size_t side = 0; side < 2; side++) {
        add_own_counts(d, side, own, driver);
        add_error(d, own[side], side, &(struct mm_decider){.kind = MM_DOUBT_COUNTS});
    }
    for (size_t n = 0; n < MM_DRIVERS && d->forecasts[0]->by != d->forecasts[1]->by; n++)
        for (size_t side = 0; side < 2; side++)
            add_error(d, driver[side][n], side,
                      &(struct mm_decider){.kind = MM_DOUBT_DRIVER, .driver = n});
    for (size_t n = 0; n < MM_DRIVERS && d->forecasts[0]->by == d->forecasts[1]->by; n++)
        add_shared(d, driver[0][n], driver[1][n], 1,
                   &(struct mm_decider){.kind = MM_DOUBT_DRIVER, .driver = n});
}

static void add_mpi(struct difference *d)
{
    const struct mm_forecast *a = d->forecasts[0], *b = d->forecasts[1];
    int differ[2];

    if (!a->has_mpi || !b->has_mpi)
        return;
    differ[0] = a->transfer.number.value != b->transfer.number.value;
    differ[1] = a->waiting.number.value != b->waiting.number.value;
    for (size_t side = 0; side < 2; side++)
        add_error(d,
                  hypot(differ[0] * d->forecasts[side]->transfer.own,
                        differ[1] * d->forecasts[side]->waiting.own),
                  side, &(struct mm_decider){.kind = MM_DOUBT_MPI});
}

/* --- Runs -------------------------------------------------------------------------- */

static const struct mm_forecast_part *find_part(const struct mm_forecast *f,
                                                size_t vertex)
{
    for (size_t i = 0; i < f->part_count; i++)
        if (f->parts[i].vertex == vertex)
            return &f->parts[i];
    return NULL;
}

/* Cost of the methods of a slot (`instance` NULL: of all methods) and, with `beside`, of
 * all other methods whose calls have a different cost with the other class. */
static double slot_cost(const struct difference *d, const struct mm_cells *cells,
                        size_t side, const char *instance, int beside)
{
    const struct mm_forecast *f = d->forecasts[side];
    double cost = 0;

    for (size_t i = 0; i < f->part_count; i++) {
        const struct mm_forecast_part *part = &f->parts[i];
        const struct mm_forecast_part *other =
            find_part(d->forecasts[!side], part->vertex);
        const struct mm_method_info *method = cells->vertices[part->vertex].method;

        if (!instance || (method && strcmp(method->instance, instance) == 0))
            cost += part->cost_ns;
        else if (beside && other && is_same_class(part->class_name, other->class_name) &&
                 part->calls == other->calls && part->cost_ns != other->cost_ns)
            cost += part->cost_ns;
    }
    return cost;
}

/* Add the error of few runs. The cost of a class, and its effect on other methods, is
 * known from the runs that had it; the effect counts once for all slots, by the class
 * with the fewest runs. */
static void add_runs(struct difference *d, const struct mm_open_choice *all,
                     const size_t *choice, const size_t *other)
{
    const struct mm_cells *cells = &mm_forecaster_structure(d->forecasts[0]->by)->cells;
    const size_t *at[2] = {choice, other};

    for (size_t side = 0; side < 2; side++) {
        double sd = d->forecasts[side]->run_sd;
        size_t rarest = all->slot_count;

        for (size_t s = 0; s < all->slot_count; s++)
            if (choice[s] != other[s] &&
                (rarest == all->slot_count ||
                 all->slots[s].classes[at[side][s]].runs <
                     all->slots[rarest].classes[at[side][rarest]].runs))
                rarest = s;
        for (size_t s = 0; s < all->slot_count && !isnan(sd); s++) {
            const struct mm_open_slot *slot = &all->slots[s];
            const struct mm_open_class *c = &slot->classes[at[side][s]];

            if (choice[s] == other[s])
                continue;
            add_error(d,
                      CCA_NORMAL_90 * sd / sqrt((double)c->runs) *
                          slot_cost(d, cells, side, slot->instance, s == rarest),
                      side,
                      &(struct mm_decider){.kind = MM_DOUBT_RUNS, .class_name = c->name});
        }
    }
}

/* Half-width of a forecast's own interval, as a logarithm; NaN: the forecast has no
 * interval. */
static double half_of(const struct mm_forecast *f)
{
    return fmax(log(f->high_ns / f->total_ns), log(f->total_ns / f->low_ns));
}

/* Set the interval of the logarithm of the ratio, because no cost is negative. Common
 * errors make it narrower than two independent intervals; so it is never wider than their
 * combination. */
static void set_interval(const struct difference *d, struct mm_open_assembly *other)
{
    double own = d->forecasts[0]->total_ns, total = d->forecasts[1]->total_ns;
    double apart = log(total / own), half = sqrt(d->squares);
    double most = hypot(half_of(d->forecasts[0]), half_of(d->forecasts[1]));

    half = isfinite(most) ? fmin(half, most) : NAN;
    other->apart_ns = total - own;
    other->apart_sd = half / CCA_NORMAL_90;
    other->is_tie = fabs(apart) <= half && fabs(apart) <= log(MM_TIE_MOST);
    if (!(half <= MOST_HALF))
        half = NAN;
    other->apart_low_ns = own * (exp(apart - half) - 1);
    other->apart_high_ns = own * (exp(apart + half) - 1);
}

int mm_difference_find(const struct mm_open_choice *all,
                       const struct mm_open_assembly *choice,
                       struct mm_open_assembly *other, struct mm_decider *decider)
{
    struct difference d = {.forecasts = {choice->forecast, other->forecast},
                           .decider = decider};
    int result = add_models(&d);

    add_counts(&d);
    add_mpi(&d);
    add_runs(&d, all, choice->at, other->at);
    set_interval(&d, other);
    if (decider)
        decider->share = d.largest * d.largest / d.squares;
    free(d.models);
    return result;
}
