/* SPDX-License-Identifier: BSD-3-Clause */
/* curves.c: curves of the models along each parameter, as points.
 *
 * If only one parameter varied, the points are spaced by equal ratios. If several varied,
 * the parameter's axis is divided into columns of equal ratio. The point of a column is
 * the mean of the model over the calls whose parameter lies in the column, each call with
 * its own values of the other parameters, so that curve and calls can be compared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/cost.h"
#include "mastermind/cmd/page/page.h"

enum {
    ALL_PLACES = 30000, /* largest number of points of all curves on a page */
    FEWEST = 12,        /* least number of points of a curve */
    STEPS = 48,         /* number of points of a curve if one parameter varied */
    OCTAVE = 8,         /* number of columns between a size and its double */
    PLACES = 96,        /* largest number of columns of a curve */
    /* largest number of sizes in a column for which the model is evaluated */
    PER_PLACE = 24
};

/* A column of a curve (a range of sizes), with sums over the sizes of calls in it. */
struct place {
    int64_t bin;
    size_t asked;
    double calls, log_x, typ, low, high, fit_low, fit_high;
};

static void place_add(struct place *place, const struct mm_estimate *e, double x,
                      double calls)
{
    place->asked++;
    place->calls += calls;
    place->log_x += calls * log(x);
    place->typ += calls * e->typ;
    place->low += calls * e->low;
    place->high += calls * e->high;
    place->fit_low += calls * e->fit_low;
    place->fit_high += calls * e->fit_high;
}

static json_t *rounded(double value)
{
    char text[32];

    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.5g", value);
    return json_real(strtod(text, NULL));
}

static json_t *places_json(const char *parameter, const struct place *places,
                           size_t count)
{
    static const char *const names[] = {"x", "typ", "low", "high", "fit_low", "fit_high"};
    json_t *curve = json_object();

    mm_json_put(curve, "parameter", mm_json_escaped(parameter));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        json_t *column = json_array();

        for (size_t i = 0; i < count; i++) {
            const struct place *p = &places[i];
            const double sums[] = {p->log_x, p->typ,     p->low,
                                   p->high,  p->fit_low, p->fit_high};
            double value = sums[k] / p->calls;

            json_array_append_new(column, rounded(k ? value : exp(value)));
        }
        mm_json_put(curve, names[k], column);
    }
    return curve;
}

/* A curve of the only parameter that varied. */
static json_t *smooth_json(const struct mm_model *model, size_t parameter,
                           const double *like, int steps)
{
    struct place places[STEPS] = {0};
    double x[MONITOR_MAX_IN], low = model->low[parameter], high = model->high[parameter];

    memcpy(x, like, sizeof x);
    for (int i = 0; i < steps; i++) {
        struct mm_estimate estimate;

        x[parameter] = low * pow(high / low, (double)i / (steps - 1));
        mm_model_estimate_tuple(model, x, &estimate);
        place_add(&places[i], &estimate, x[parameter], 1);
    }
    return places_json(model->method->values[parameter].name, places, (size_t)steps);
}

static struct place *place_of(struct place *places, size_t *count, int64_t bin)
{
    size_t at = *count;

    while (at > 0 && places[at - 1].bin > bin)
        at--;
    if (at > 0 && places[at - 1].bin == bin)
        return &places[at - 1];
    if (*count == PLACES)
        return NULL;
    memmove(&places[at + 1], &places[at], (*count - at) * sizeof *places);
    places[at] = (struct place){.bin = bin};
    ++*count;
    return &places[at];
}

static json_t *column_json(const struct mm_model *model, const struct mm_points *points,
                           size_t parameter)
{
    struct place places[PLACES];
    size_t count = 0;

    for (size_t i = 0; i < points->count; i++) {
        const struct mm_point *point = &points->points[i];
        double x[MONITOR_MAX_IN];
        struct mm_estimate estimate;
        struct place *place;

        if (!point->n || !mm_same_modes(points->method, point->in, model->modes) ||
            mm_missing_parameter(points->method, point->in))
            continue;
        mm_model_tuple(model, point->in, x);
        if (!(x[parameter] > 0))
            continue;
        place = place_of(places, &count, (int64_t)floor(log2(x[parameter]) * OCTAVE));
        if (!place || place->asked >= PER_PLACE)
            continue;
        mm_model_estimate_tuple(model, x, &estimate);
        place_add(place, &estimate, x[parameter], (double)point->n);
    }
    return places_json(model->method->values[parameter].name, places, count);
}

/* Mark in `which` the parameters that varied in the calls of a model; return their
 * number. */
static size_t varied(const struct mm_model *model, unsigned char *which)
{
    size_t count = 0;

    for (size_t i = 0; i < model->method->in_count; i++) {
        which[i] = model->method->values[i].kind == MONITOR_PARAM && !model->lacks &&
                   model->high[i] > model->low[i] && model->high[i] > 0;
        count += which[i];
    }
    return count;
}

static json_t *model_curves(const struct mm_model *model, const struct mm_points *points,
                            int steps)
{
    unsigned char which[MONITOR_MAX_IN] = {0};
    double like[MONITOR_MAX_IN] = {0};
    json_t *curves = json_array();
    size_t count = varied(model, which);

    for (size_t i = 0; i < model->method->in_count; i++) {
        if (model->method->values[i].kind != MONITOR_PARAM || model->lacks)
            continue;
        like[i] = model->low[i];
        if (which[i] && !(count == 1 && model->low[i] > 0))
            json_array_append_new(curves, column_json(model, points, i));
    }
    for (size_t i = 0; i < model->method->in_count; i++)
        if (which[i] && count == 1 && model->low[i] > 0)
            json_array_append_new(curves, smooth_json(model, i, like, steps));
    return curves;
}

/* The constant that a model without varying parameters predicts. */
static json_t *constant_json(const struct mm_model *model, const struct mm_points *points)
{
    struct place place = {0};

    for (size_t i = 0; i < points->count && place.asked < PER_PLACE; i++) {
        const struct mm_point *point = &points->points[i];
        struct mm_estimate estimate;

        if (!point->n || !mm_same_modes(points->method, point->in, model->modes))
            continue;
        mm_model_estimate(model, point->in, &estimate);
        place_add(&place, &estimate, 1, (double)point->n);
    }
    return place.asked ? places_json("", &place, 1) : json_null();
}

/* Curves of each model of each method, in the order of the verb model's document. */
json_t *mm_page_curves(const struct mm_page *page)
{
    json_t *sets = json_array();
    size_t models_count = 1;
    int steps;

    for (size_t i = 0; i < page->library->count; i++)
        models_count += page->library->sets[i].model_count;
    steps =
        models_count > ALL_PLACES / FEWEST ? FEWEST : (int)(ALL_PLACES / models_count);
    steps = steps > STEPS ? STEPS : steps;
    for (size_t i = 0; i < page->library->count; i++) {
        const struct mm_model_set *set = &page->library->sets[i];
        json_t *models = json_array();

        for (size_t k = 0; k < set->model_count; k++) {
            json_array_append_new(
                models,
                mm_json_object("all along", constant_json(&set->models[k], &set->points),
                               model_curves(&set->models[k], &set->points, steps)));
        }
        json_array_append_new(sets, models);
    }
    return sets;
}
