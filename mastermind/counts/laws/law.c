/* SPDX-License-Identifier: BSD-3-Clause */
/* law.c: closed forms first, trends where there is none. */
#include "mastermind/counts/laws/law.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/counts/laws/law_forms.h"
#include "common/same.h"

#define DRIFT .1 /* sd of a trend's logarithm per e-fold of size beyond the runs */

/* Offer sums of one term, then of two, and so on, as trends (scaling functions with
 * scatter). */
static int search_trends(struct mm_law *law, const struct mm_law_terms *terms)
{
    struct mm_law_gram gram = {0};
    struct mm_law_subset *sets = calloc(2 * MM_LAW_SUBSETS, sizeof *sets), *swap;
    struct mm_law_subset *smaller = sets, *best = sets ? sets + MM_LAW_SUBSETS : NULL;
    size_t found = 0;
    int result = sets ? mm_law_gram_init(&gram, &law->data, terms) : -ENOMEM;

    if (!result)
        result = mm_law_trend_products(&law->trend, &law->data);
    for (size_t count = 1;
         !result && count <= MM_LAW_SUM_TERMS && count + 1 < law->data.runs; count++) {
        found = mm_law_subsets(&gram, count, smaller, found, best);
        result = mm_law_trend_sums(&law->trend, &law->data, &gram, best, found);
        swap = smaller;
        smaller = best;
        best = swap;
    }
    free(sets);
    mm_law_gram_done(&gram);
    return result;
}

/* True for a form whose coefficients are whole numbers. */
static int is_whole(const struct mm_form *form)
{
    for (size_t k = 0; k < form->count; k++)
        if (form->a[k] != nearbyint(form->a[k]))
            return 0;
    return 1;
}

static int search(struct mm_law *law, int is_rounded)
{
    struct mm_law_terms terms;
    int result = mm_law_terms_init(&terms, &law->data);

    if (!result && !law->data.disagreeing)
        result = mm_law_exact_find(&law->exact, &law->data, &terms);
    if (is_rounded && law->exact.count && !is_whole(&law->exact.form[0].form))
        law->exact.count = 0;
    if (!result && !law->exact.count)
        result = search_trends(law, &terms);
    mm_law_terms_done(&terms);
    return result;
}

/* True if the counts are the same in all runs. */
static int is_constant(const struct mm_law_data *data)
{
    for (size_t i = 1; i < data->runs; i++)
        if (data->y[i] != data->y[0])
            return 0;
    return 1;
}

static void set_constant(struct mm_law *law)
{
    struct mm_form *form = &law->exact.form[0].form;

    form->basis[0].kind = MM_BASIS_ONE;
    form->a[0] = law->data.y[0];
    form->count = 1;
    form->weight = 1;
    law->exact.form[0].driver = MM_LAW_NO_AXIS;
    law->exact.count = 1;
    law->kind = MM_LAW_EXACT;
}

struct mm_law *mm_law_find(const struct mm_law_table *table, struct cca_error *err)
{
    struct mm_law *law = calloc(1, sizeof *law);

    if (!law) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    if (mm_law_data_init(&law->data, table, err) < 0)
        goto fail;
    if (law->data.runs < 3)
        return law;
    if (is_constant(&law->data) && !law->data.disagreeing && !table->is_rounded) {
        set_constant(law);
        return law;
    }
    if (search(law, table->is_rounded) < 0) {
        cca_error_set(err, -ENOMEM, "out of memory");
        goto fail;
    }
    mm_law_trend_end(&law->trend);
    law->kind = law->exact.count   ? MM_LAW_EXACT
                : law->trend.count ? MM_LAW_TREND
                                   : MM_LAW_NONE;
    return law;
fail:
    mm_law_free(law);
    return NULL;
}

void mm_law_free(struct mm_law *law)
{
    if (!law)
        return;
    mm_law_data_done(&law->data);
    free(law);
}

enum mm_law_kind mm_law_kind(const struct mm_law *law)
{
    return law->kind;
}

double mm_law_ahead(const struct mm_law *law)
{
    double squares = 0;

    if (law->kind == MM_LAW_NONE)
        return INFINITY;
    for (size_t i = 0; i < law->trend.count; i++)
        squares += law->trend.member[i].weight * pow(law->trend.member[i].ahead, 2);
    return sqrt(squares);
}

double mm_law_level_ahead(const struct mm_law *law)
{
    return law->kind == MM_LAW_TREND ? law->trend.level_ahead : INFINITY;
}

/* True for a closed form of one term, or of two terms without a negative coefficient. */
static int is_plain(const struct mm_form *form)
{
    for (size_t k = 0; k < form->count && form->count > 1; k++)
        if (form->a[k] < 0)
            return 0;
    return form->count <= 2;
}

int mm_law_is_proven(const struct mm_law *law)
{
    if (law->kind != MM_LAW_TREND)
        return law->kind == MM_LAW_EXACT && is_plain(&law->exact.form[0].form);
    return law->trend.is_positive &&
           mm_law_wins_by_far(law->trend.power_ahead, law->trend.level_ahead);
}

size_t mm_law_runs(const struct mm_law *law)
{
    return law->data.runs;
}

/* True if the shortest form has pieces of size `divisor`. */
static int has_pieces(const struct mm_law *law, size_t divisor)
{
    const struct mm_form *form = &law->exact.form[0].form;

    for (size_t k = 0; k < form->count; k++) {
        for (size_t f = 0; f < form->basis[k].factors; f++) {
            const struct mm_law_variable *variable =
                &law->data.variable[form->basis[k].factor[f].parameter];

            if (variable->kind == MM_LAW_CEILING && variable->divisor == divisor)
                return 1;
        }
    }
    return 0;
}

/* The value of the shortest form without its largest term; 0 for a single term. */
static double smaller_terms(const struct mm_law *law, const double *variables,
                            double value)
{
    const struct mm_law_form *form = &law->exact.form[0];
    double most = 0;

    for (size_t k = 0; k < form->form.count && form->form.count > 1; k++) {
        struct mm_law_form term = *form;

        term.form.basis[0] = form->form.basis[k];
        term.form.a[0] = form->form.a[k];
        term.form.count = 1;
        most = fmax(most, mm_law_form_value(&term, variables));
    }
    return value - most;
}

/* Where one length is cut into pieces, a second one, too short to be cut in any run, may
 * be cut at `x`; no run shows this. The upper bound multiplies a form of one term by the
 * second number of pieces; of a sum, the largest term. */
static void add_new_pieces(const struct mm_law *law, const double *x,
                           const double *variables, struct mm_law_number *number)
{
    const struct mm_law_data *data = &law->data;

    for (size_t b = 0; b < data->axes; b++) {
        for (size_t a = 0; a < data->axes; a++) {
            double pieces = mm_law_data_new_pieces(data, a, b, x), more;

            if (pieces <= 1 || !has_pieces(law, b))
                continue;
            more = (pieces - 1) * smaller_terms(law, variables, number->value);
            number->low = fmin(number->low, number->value + more);
            number->high = fmax(number->high, number->value + more);
        }
    }
}

/* Value of the scaling function: the shortest form's value, with the range of all forms
 * that fit the runs. */
static int law_value(const struct mm_law *law, const double *x,
                     struct mm_law_number *number)
{
    double variables[MM_LAW_VARIABLES];

    mm_law_data_variables(&law->data, x, variables);
    if (law->kind == MM_LAW_TREND)
        return mm_law_trend_value(&law->trend, variables, number);
    for (size_t i = 0; i < law->exact.count; i++) {
        double value = mm_law_form_value(&law->exact.form[i], variables);

        if (!isfinite(value))
            return -ERANGE;
        if (!i)
            *number = (struct mm_law_number){value, value, value};
        number->low = fmin(number->low, value);
        number->high = fmax(number->high, value);
    }
    if (law->exact.count)
        add_new_pieces(law, x, variables, number);
    return law->exact.count ? 0 : -ERANGE;
}

/* Find the parameter that is farthest beyond the runs. */
static void set_beyond(const struct mm_law *law, const double *x,
                       struct mm_law_prediction *prediction)
{
    const struct mm_law_data *data = &law->data;

    prediction->beyond = 1;
    for (size_t k = 0; k < data->axes; k++) {
        double low = data->x[k], high = low, factor = 1;

        if (data->is_driver[k] || !data->is_positive[k] || !data->matters[k])
            continue;
        for (size_t i = 1; i < data->runs; i++) {
            low = fmin(low, data->x[i * data->axes + k]);
            high = fmax(high, data->x[i * data->axes + k]);
        }
        factor = fmax(x[k] / high, low / x[k]);
        prediction->beyond = fmax(prediction->beyond, factor);
    }
}

static void set_unknown(struct mm_law_prediction *prediction, enum mm_law_reason reason,
                        const char *axis)
{
    prediction->number = (struct mm_law_number){NAN, NAN, NAN};
    prediction->own = prediction->drivers = NAN;
    prediction->reason = reason;
    prediction->axis = axis;
}

/* The reason why the runs do not determine the scaling function at `x`: a parameter or an
 * exogenous count; 0: none. */
static int find_unknown(const struct mm_law *law, const struct mm_law_number *x,
                        const double *value, struct mm_law_prediction *prediction)
{
    const struct mm_law_data *data = &law->data;
    size_t axis;

    for (axis = 0; axis < data->axes; axis++) {
        if (!isfinite(x[axis].low) || !isfinite(value[axis]) || !isfinite(x[axis].high)) {
            set_unknown(prediction, MM_LAW_AXIS_OUTSIDE, data->name[axis]);
            return 1;
        }
        if (data->is_driver[axis] && !data->varies[axis] &&
            (x[axis].low != data->x[axis] || x[axis].high != data->x[axis])) {
            set_unknown(prediction, MM_LAW_AXIS_DID_NOT_VARY, data->name[axis]);
            return 1;
        }
    }
    axis = mm_law_data_zero(data, value);
    if (axis < data->axes) {
        set_unknown(prediction, MM_LAW_AXIS_IS_ZERO, data->name[axis]);
        return 1;
    }
    axis = mm_law_data_outside(data, value);
    if (axis == data->axes)
        return 0;
    set_unknown(prediction,
                data->varies[axis] ? MM_LAW_AXIS_NOT_ALONE : MM_LAW_AXIS_DID_NOT_VARY,
                data->name[axis]);
    return 1;
}

/* Sum the errors of the prediction due to exogenous counts, from both ends of
 * each count's interval. */
static int add_drivers(const struct mm_law *law, const struct mm_law_number *x,
                       double *value, double center, double *below, double *above)
{
    struct mm_law_number number;

    *below = *above = 0;
    for (size_t k = 0; k < law->data.axes; k++) {
        double kept = value[k], ends[2] = {x[k].low, x[k].high}, least = 0, most = 0;

        if (!law->data.is_driver[k] || x[k].low == x[k].high)
            continue;
        for (size_t e = 0; e < 2; e++) {
            value[k] = ends[e];
            if (law_value(law, value, &number) < 0)
                return -ERANGE;
            least = fmin(least, number.value - center);
            most = fmax(most, number.value - center);
        }
        value[k] = kept;
        *below -= least;
        *above += most;
    }
    return 0;
}

static void set_recorded(const struct mm_law *law, size_t run,
                         struct mm_law_prediction *prediction)
{
    double y = law->data.y[run], half = law->data.half[run];

    prediction->number = (struct mm_law_number){y, y - half, y + half};
    prediction->exact = half == 0;
    prediction->own = y != 0 ? half / fabs(y) : 0;
}

void mm_law_predict(const struct mm_law *law, const struct mm_law_number *x,
                    struct mm_law_prediction *prediction)
{
    double value[MM_LAW_AXES], below, above, own_below, own_above, drift;
    struct mm_law_number number;
    size_t run;
    int drivers_exact = 1;

    *prediction = (struct mm_law_prediction){.beyond = 1};
    for (size_t k = 0; k < law->data.axes; k++) {
        value[k] = x[k].value;
        drivers_exact &= !law->data.is_driver[k] || x[k].low == x[k].high;
    }
    if (find_unknown(law, x, value, prediction))
        return;
    run = mm_law_data_find(&law->data, value);
    if (run < law->data.runs && drivers_exact) {
        set_recorded(law, run, prediction);
        return;
    }
    set_beyond(law, value, prediction);
    if (law->kind == MM_LAW_NONE) {
        set_unknown(prediction, MM_LAW_TOO_FEW_RUNS, NULL);
        return;
    }
    if (law_value(law, value, &number) < 0 ||
        add_drivers(law, x, value, number.value, &below, &above) < 0) {
        set_unknown(prediction, MM_LAW_AXIS_OUTSIDE, NULL);
        return;
    }
    drift = law->kind == MM_LAW_TREND ? DRIFT * log(prediction->beyond) : 0;
    own_below = hypot(number.value - number.low, drift * number.value);
    own_above = hypot(number.high - number.value, drift * number.value);
    prediction->number.value = number.value;
    prediction->number.low = number.value - hypot(own_below, below);
    prediction->number.high = number.value + hypot(own_above, above);
    if (law->trend.is_positive)
        prediction->number.low =
            fmax(prediction->number.low,
                 number.low * (number.value - below > 0 ? 1 - below / number.value : 0));
    prediction->exact = law->kind == MM_LAW_EXACT && drivers_exact &&
                        !law->exact.incomplete &&
                        number.high - number.low <= CCA_SAME * fabs(number.value);
    if (prediction->exact)
        prediction->number =
            (struct mm_law_number){number.value, number.value, number.value};
    if (number.value != 0) {
        prediction->own = .5 * (own_below + own_above) / fabs(number.value);
        prediction->drivers = .5 * (below + above) / fabs(number.value);
    }
}
