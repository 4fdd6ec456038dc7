/* SPDX-License-Identifier: BSD-3-Clause */
/* quantity.c: scaling functions over selections of runs, found once and kept. */
#include "mastermind/counts/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/counts/laws/ranks.h"

/* Axes that a scaling function uses beside the numbers that varied. */
enum { WITH_DRIVERS = 1, WITH_DIVISORS = 2 };

/* True for a parameter that scaling functions may use: a number that varied, or that may
 * divide a number that varied. */
static int is_law_axis(const struct mm_structure *structure, size_t axis, int with)
{
    const struct mm_axis *item = &structure->axes.items[axis];

    return item->is_number &&
           (item->varies || (with & WITH_DIVISORS && item->is_divisor)) &&
           mm_axis_counts(&structure->axes, axis);
}

int mm_runs_same_numbers(const struct mm_structure *structure, size_t a, size_t b)
{
    for (size_t i = 0; i < structure->axes.count; i++)
        if (is_law_axis(structure, i, 0) &&
            structure->axes.items[i].number[a] != structure->axes.items[i].number[b])
            return 0;
    return 1;
}

size_t mm_quantity_points(const struct mm_structure *structure,
                          const struct mm_quantity *quantity,
                          const unsigned char *selected)
{
    size_t found = 0;

    for (size_t r = 0; r < structure->runs; r++) {
        size_t k = 0;

        if (!selected[r] || isnan(quantity->y[r]))
            continue;
        while (k < r && !(selected[k] && !isnan(quantity->y[k]) &&
                          mm_runs_same_numbers(structure, k, r)))
            k++;
        found += k == r;
    }
    return found;
}

/* --- The scaling function ---------------------------------------------------------- */

static void fill_row(const struct mm_structure *structure, int with, size_t run,
                     double *x)
{
    size_t k = 0;

    for (size_t i = 0; i < structure->axes.count; i++)
        if (is_law_axis(structure, i, with) && k < MM_LAW_AXES - MM_DRIVERS)
            x[k++] = structure->axes.items[i].number[run];
    for (size_t d = 0; with & WITH_DRIVERS && d < structure->driver_count; d++)
        x[k++] = structure->drivers[d]->y[run];
}

static size_t name_axes(const struct mm_structure *structure, int with,
                        struct mm_law_axis *axis)
{
    size_t k = 0;

    for (size_t i = 0; i < structure->axes.count; i++)
        if (is_law_axis(structure, i, with) && k < MM_LAW_AXES - MM_DRIVERS)
            axis[k++] = (struct mm_law_axis){structure->axes.items[i].name, 0};
    for (size_t d = 0; with & WITH_DRIVERS && d < structure->driver_count; d++)
        axis[k++] = (struct mm_law_axis){
            structure->cells.vertices[structure->driver_cell[d][1]].method->method, 1};
    return k;
}

/* Find the scaling function of a quantity over runs; NULL without an error: there is no
 * scaling function. */
static struct mm_law *find_law(const struct mm_structure *structure,
                               const struct mm_quantity *quantity,
                               const unsigned char *selected, int with,
                               struct cca_error *err)
{
    struct mm_law_axis axis[MM_LAW_AXES];
    size_t axes = name_axes(structure, with, axis), runs = 0;
    double *x = calloc(structure->runs * axes + 1, sizeof *x);
    double *y = calloc(structure->runs + 1, sizeof *y);
    struct cca_error none = {0};
    struct mm_law *law = NULL;

    if (!x || !y)
        cca_no_memory(err);
    for (size_t r = 0; r < structure->runs && x && y; r++) {
        if (!selected[r] || isnan(quantity->y[r]))
            continue;
        fill_row(structure, with, r, x + runs * axes);
        y[runs++] = quantity->y[r];
    }
    if (x && y)
        law = mm_law_find(
            &(struct mm_law_table){axis, axes, runs, x, y, quantity->is_rounded}, &none);
    if (none.code == -ENOMEM)
        *err = none;
    free(x);
    free(y);
    return law;
}

static int has_divisor(const struct mm_structure *structure)
{
    for (size_t i = 0; i < structure->axes.count; i++)
        if (structure->axes.items[i].is_divisor)
            return 1;
    return 0;
}

/* Choose the scaling function of a quantity; include numbers that did not vary if there
 * is no closed form without them. */
static void choose_law(const struct mm_structure *structure,
                       const struct mm_quantity *quantity, struct mm_chosen_law *chosen,
                       struct cca_error *err)
{
    struct mm_law *other;

    chosen->law = find_law(structure, quantity, chosen->selected, chosen->with, err);
    if (!has_divisor(structure) || !chosen->law || err->code ||
        mm_law_kind(chosen->law) == MM_LAW_EXACT)
        return;
    other = find_law(structure, quantity, chosen->selected, chosen->with | WITH_DIVISORS,
                     err);
    if (!other)
        return;
    mm_law_free(chosen->law);
    chosen->law = other;
    chosen->with |= WITH_DIVISORS;
}

/* Find or recall the scaling function of a quantity over these runs; NULL with an error.
 */
static const struct mm_chosen_law *law_of(struct mm_structure *structure,
                                          struct mm_quantity *quantity,
                                          const unsigned char *selected, int with_drivers,
                                          struct cca_error *err)
{
    struct mm_chosen_law *chosen;

    for (size_t i = 0; i < quantity->law_count; i++)
        if ((quantity->laws[i].with & WITH_DRIVERS) == (with_drivers != 0) &&
            memcmp(quantity->laws[i].selected, selected, structure->runs) == 0)
            return &quantity->laws[i];
    chosen = cca_array_add(&quantity->laws, &quantity->law_count, sizeof *chosen);
    if (!chosen) {
        cca_no_memory(err);
        return NULL;
    }
    chosen->with = with_drivers ? WITH_DRIVERS : 0;
    chosen->selected = malloc(structure->runs + 1);
    if (!chosen->selected) {
        quantity->law_count--;
        cca_no_memory(err);
        return NULL;
    }
    memcpy(chosen->selected, selected, structure->runs);
    choose_law(structure, quantity, chosen, err);
    return chosen;
}

int mm_quantity_is_exact(struct mm_structure *structure, struct mm_quantity *quantity,
                         const unsigned char *selected, int with_drivers,
                         struct cca_error *err)
{
    const struct mm_chosen_law *chosen =
        law_of(structure, quantity, selected, with_drivers, err);

    if (err->code)
        return err->code;
    return chosen->law && mm_law_kind(chosen->law) == MM_LAW_EXACT;
}

/* --- The answer -------------------------------------------------------------------- */

/* True if a run has the requested numbers as parameters. */
static int has_numbers(const struct mm_structure *structure, size_t run,
                       const struct mm_asked *asked)
{
    for (size_t i = 0; i < structure->axes.count; i++)
        if (is_law_axis(structure, i, 0) &&
            structure->axes.items[i].number[run] != mm_axis_number(asked->text[i]))
            return 0;
    return 1;
}

int mm_quantity_recorded(const struct mm_structure *structure,
                         const struct mm_quantity *quantity,
                         const unsigned char *selected, const struct mm_asked *asked,
                         struct mm_amount *amount)
{
    double sum = 0, low = INFINITY, high = -INFINITY;
    size_t count = 0;

    *amount = (struct mm_amount){.number = {NAN, NAN, NAN}};
    for (size_t r = 0; r < structure->runs; r++) {
        if (!selected[r] || isnan(quantity->y[r]) || !has_numbers(structure, r, asked))
            continue;
        count++;
        sum += quantity->y[r];
        low = fmin(low, quantity->y[r]);
        high = fmax(high, quantity->y[r]);
    }
    if (!count)
        return 0;
    amount->exact = low == high;
    amount->number =
        (struct mm_law_number){amount->exact ? low : sum / (double)count, low, high};
    amount->own = (high - low) / 2;
    snprintf(amount->law, sizeof amount->law, MM_AS_COUNTED);
    return 1;
}

/* Set the scaling function's axes; exogenous counts are numbers without an interval,
 * except exogenous count `open`. */
static void fill_asked(const struct mm_structure *structure, const struct mm_asked *asked,
                       int with, size_t open, struct mm_law_number *x)
{
    size_t k = 0;

    for (size_t i = 0; i < structure->axes.count; i++)
        if (is_law_axis(structure, i, with) && k < MM_LAW_AXES - MM_DRIVERS) {
            double value = mm_axis_number(asked->text[i]);

            x[k++] = (struct mm_law_number){value, value, value};
        }
    for (size_t d = 0; with & WITH_DRIVERS && d < structure->driver_count; d++) {
        struct mm_law_number number = asked->driver[d].number;

        if (d != open)
            number.low = number.high = number.value;
        x[k++] = number;
    }
}

static void answer_by_law(const struct mm_structure *structure, const struct mm_law *law,
                          int with, const struct mm_asked *asked,
                          struct mm_amount *amount)
{
    struct mm_law_number x[MM_LAW_AXES];
    struct mm_law_prediction at;
    double squares;

    fill_asked(structure, asked, with, MM_DRIVERS, x);
    mm_law_predict(law, x, &at);
    if (at.reason != MM_LAW_IS_KNOWN) {
        mm_law_print_reason(&at, amount->why, sizeof amount->why);
        return;
    }
    if (!isfinite(at.number.high)) {
        snprintf(amount->why, sizeof amount->why,
                 "the value of its scaling function overflows");
        return;
    }
    mm_law_print(law, amount->law, sizeof amount->law);
    amount->number = at.number;
    amount->exact = at.exact;
    amount->is_proven = mm_law_is_proven(law);
    amount->ahead = mm_law_ahead(law);
    amount->level_ahead = mm_law_level_ahead(law);
    amount->own = (at.number.high - at.number.low) / 2;
    squares = amount->own * amount->own;
    for (size_t d = 0; with & WITH_DRIVERS && d < structure->driver_count; d++) {
        const struct mm_law_number *driver = &asked->driver[d].number;

        if (driver->low == driver->high)
            continue;
        fill_asked(structure, asked, with, d, x);
        mm_law_predict(law, x, &at);
        if (at.reason != MM_LAW_IS_KNOWN)
            continue;
        amount->driver[d] = fabs(at.drivers * at.number.value);
        squares += amount->driver[d] * amount->driver[d];
        amount->exact &=
            amount->driver[d] == 0; /* the amount stays exact if the scaling function
                                       does not use the exogenous count */
    }
    amount->number.low = fmax(amount->number.value - sqrt(squares), 0);
    amount->number.high = amount->number.value + sqrt(squares);
}

/* Use the nearest measured number of ranks instead of the requested one if the scaling
 * function is a trend in ranks and the runs have too few different numbers. Returns 0 or
 * -ENOMEM with `err`. */
static int answer_by_ranks(const struct mm_structure *structure,
                           const struct mm_quantity *quantity,
                           const struct mm_chosen_law *chosen,
                           const struct mm_asked *asked, struct mm_amount *amount,
                           struct cca_error *err)
{
    size_t at = mm_axes_ranks(&structure->axes);
    double number = mm_axis_number(asked->text[at]);
    struct mm_asked nearest = *asked;
    struct mm_law_ranks ranks;
    char text[32], numbers[80];

    mm_law_ranks_init(&ranks, structure->axes.items[at].number, quantity->y,
                      chosen->selected, structure->runs);
    if (ranks.count < MM_LAW_RANKS)
        number = mm_law_ranks_nearest(&ranks, number);
    if (isnan(number)) {
        mm_law_ranks_print(&ranks, numbers, sizeof numbers);
        snprintf(amount->why, sizeof amount->why,
                 "runs on %s ranks give no scaling function for %s: that needs %d "
                 "different numbers",
                 numbers, asked->text[at], MM_LAW_RANKS);
        return 0;
    }
    nearest.text = malloc((structure->axes.count + 1) * sizeof *nearest.text);
    if (!nearest.text)
        return cca_no_memory(err);
    memcpy(nearest.text, asked->text, structure->axes.count * sizeof *nearest.text);
    snprintf(text, sizeof text, "%.0f", number);
    nearest.text[at] = text;
    answer_by_law(structure, chosen->law, chosen->with, &nearest, amount);
    free(nearest.text);
    return 0;
}

int mm_quantity_at(struct mm_structure *structure, struct mm_quantity *quantity,
                   const unsigned char *selected, int with_drivers,
                   const struct mm_asked *asked, struct mm_amount *amount,
                   struct cca_error *err)
{
    const struct mm_chosen_law *chosen;

    *amount = (struct mm_amount){.number = {NAN, NAN, NAN}};
    if (mm_quantity_points(structure, quantity, selected) < 3) {
        snprintf(amount->why, sizeof amount->why,
                 "a scaling function needs runs at three different sizes");
        return 0;
    }
    for (size_t d = 0; with_drivers && d < structure->driver_count; d++)
        if (isnan(asked->driver[d].number.value)) {
            memcpy(amount->why, asked->driver[d].why, sizeof amount->why);
            return 0;
        }
    chosen = law_of(structure, quantity, selected, with_drivers, err);
    if (err->code)
        return err->code;
    if (!chosen->law)
        snprintf(amount->why, sizeof amount->why, "no scaling function");
    else if (mm_law_kind(chosen->law) == MM_LAW_EXACT ||
             mm_axes_ranks(&structure->axes) == MM_NO_AXIS)
        answer_by_law(structure, chosen->law, chosen->with, asked, amount);
    else
        return answer_by_ranks(structure, quantity, chosen, asked, amount, err);
    return 0;
}

void mm_quantity_forget(struct mm_quantity *quantity)
{
    for (size_t i = 0; i < quantity->law_count; i++) {
        free(quantity->laws[i].selected);
        mm_law_free(quantity->laws[i].law);
    }
    free(quantity->laws);
    quantity->laws = NULL;
    quantity->law_count = 0;
}

void mm_quantity_free(struct mm_quantity *quantity)
{
    if (!quantity)
        return;
    mm_quantity_forget(quantity);
    free(quantity->y);
    free(quantity);
}
