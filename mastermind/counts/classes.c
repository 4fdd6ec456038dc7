/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.c: scaling functions from runs with the requested classes; ratios between
 * classes where these runs are too few. */
#include "mastermind/counts/classes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/counts/parts.h"
#include "common/same.h"

#define ENOUGH 3 /* least number of different sizes for a scaling function */
/* smallest logarithm of the ratio of two classes' values that is not noise */
#define CLEAR .1

/* True for a text axis that varied: a class or another text. */
static int mm_is_word_axis(const struct mm_structure *structure, size_t axis)
{
    const struct mm_axis *item = &structure->axes.items[axis];

    return item->varies && !item->is_number && mm_axis_counts(&structure->axes, axis);
}

static const char *text_of(const struct mm_structure *structure, size_t axis, size_t run)
{
    const char *text = structure->axes.items[axis].text[run];

    return text ? text : "";
}

static int same_text(const struct mm_structure *structure, size_t axis, size_t run,
                     const char *text)
{
    return text && strcmp(text_of(structure, axis, run), text) == 0;
}

/* True for two runs whose classes differ on this axis (instance) alone; with MM_NO_AXIS,
 * on no axis. */
static int differ_in(const struct mm_structure *structure, size_t a, size_t b,
                     size_t axis)
{
    for (size_t i = 0; i < structure->axes.count; i++)
        if (i != axis && mm_is_word_axis(structure, i) &&
            strcmp(text_of(structure, i, a), text_of(structure, i, b)) != 0)
            return 0;
    return mm_runs_same_numbers(structure, a, b) &&
           (axis == MM_NO_AXIS ||
            strcmp(text_of(structure, axis, a), text_of(structure, axis, b)) != 0);
}

static int differs(double a, double b, double noise)
{
    return fabs(a - b) > CCA_SAME * fmax(fabs(a), fabs(b)) + noise;
}

/* Largest difference of a quantity between runs with equal parameters. */
static double repeat_noise(const struct mm_structure *structure,
                           const struct mm_quantity *quantity)
{
    double noise = 0;

    for (size_t a = 0; a < structure->runs; a++)
        for (size_t b = 0; b < a; b++)
            if (fabs(quantity->y[a] - quantity->y[b]) > noise &&
                differ_in(structure, a, b, MM_NO_AXIS))
                noise = fabs(quantity->y[a] - quantity->y[b]);
    return noise;
}

/* Returns 1 if two runs that differ on this axis alone differ in the quantity, too; 0 if
 * all such runs agree; -1 if there are no such runs. */
static int axis_matters(const struct mm_structure *structure,
                        const struct mm_quantity *quantity, size_t axis, double noise)
{
    int known = -1;

    for (size_t a = 0; a < structure->runs; a++)
        for (size_t b = 0; b < a; b++) {
            int differ = differs(quantity->y[a], quantity->y[b], noise);

            if (isnan(quantity->y[a]) || isnan(quantity->y[b]) ||
                (known == 0 && !differ) || !differ_in(structure, a, b, axis))
                continue;
            if (differ)
                return 1;
            known = 0;
        }
    return known;
}

/* Compare the quantity between runs that have run `one`'s class on `axis` and runs that
 * have run `other`'s class, at otherwise equal parameters. Returns 1 if the quantity
 * differs by a factor well above the factor's spread; 0 if not; -1 if there are no such
 * runs. */
static int words_matter(const struct mm_structure *structure,
                        const struct mm_quantity *quantity, size_t axis, size_t one,
                        size_t other)
{
    double sum = 0, squares = 0, count = 0;

    for (size_t a = 0; a < structure->runs; a++)
        for (size_t b = 0; b < structure->runs; b++) {
            double log_ratio;

            if (!(quantity->y[a] > 0) || !(quantity->y[b] > 0) ||
                !same_text(structure, axis, a, text_of(structure, axis, one)) ||
                !same_text(structure, axis, b, text_of(structure, axis, other)) ||
                !differ_in(structure, a, b, axis))
                continue;
            log_ratio = log(quantity->y[a] / quantity->y[b]);
            sum += log_ratio;
            squares += log_ratio * log_ratio;
            count++;
        }
    if (!(count > 0))
        return -1;
    sum /= count;
    return fabs(sum) > CLEAR && sum * sum > squares / count - sum * sum;
}

/* Like axis_matters, for quantities with noise. */
static int axis_matters_clearly(const struct mm_structure *structure,
                                const struct mm_quantity *quantity, size_t axis)
{
    int known = -1;

    for (size_t a = 0; a < structure->runs; a++) {
        size_t first = 0;

        while (strcmp(text_of(structure, axis, first), text_of(structure, axis, a)) != 0)
            first++;
        for (size_t b = 0; b < a && first == a; b++) {
            int matter = words_matter(structure, quantity, axis, a, b);

            if (matter > 0)
                return 1;
            known = matter < 0 ? known : 0;
        }
    }
    return known;
}

int mm_run_has_classes(const struct mm_structure *structure, const struct mm_asked *asked,
                       size_t run)
{
    for (size_t i = 0; i < structure->axes.count; i++)
        if (mm_is_word_axis(structure, i) &&
            !same_text(structure, i, run, asked->text[i]))
            return 0;
    return 1;
}

/* --- Choices of runs --------------------------------------------------------------- */

struct choosing {
    struct mm_structure *structure;
    struct mm_quantity *quantity;
    const struct mm_asked *asked;
    signed char *matters;    /* [axes] true if the class or text on this axis affects the
                                quantity */
    unsigned char *selected; /* [runs] true if the run is selected; scratch memory */
};

/* True for a run whose times do not apply to the requested run: its ranks shared cores,
 * and the requested number of ranks is another. */
static int is_crowded(const struct choosing *c, size_t run)
{
    const struct mm_axes *axes = &c->structure->axes;
    size_t at = mm_axes_ranks(axes);

    return c->quantity->kind == MM_QUANTITY_GIVEN && at != MM_NO_AXIS &&
           axes->is_crowded[run] &&
           axes->items[at].number[run] != mm_axis_number(c->asked->text[at]);
}

/* Select the runs that have the class in `words` on each axis that matters. */
static void select_runs(const struct choosing *c, const char *const *words)
{
    for (size_t r = 0; r < c->structure->runs; r++) {
        c->selected[r] = !is_crowded(c, r);
        for (size_t i = 0; i < c->structure->axes.count; i++)
            if (c->matters[i] && !same_text(c->structure, i, r, words[i]))
                c->selected[r] = 0;
    }
}

/* True for a run with calls and all requested numbers as parameters: its counts are exact
 * and need no scaling function. */
static int is_at_numbers(const struct choosing *c, size_t run)
{
    const struct mm_axes *axes = &c->structure->axes;

    for (size_t i = 0; i < axes->count; i++)
        if (mm_axis_counts(axes, i) && axes->items[i].is_number &&
            axes->items[i].varies &&
            mm_axis_number(c->asked->text[i]) != axes->items[i].number[run])
            return 0;
    return c->quantity->y[run] > 0;
}

/* Returns 2 if a run has the requested numbers, and on each axis that is known to matter
 * the requested class; 1 if a run has the requested numbers; else 0. */
static int has_base(const struct choosing *c)
{
    const struct mm_structure *s = c->structure;
    int found = 0;

    for (size_t r = 0; r < s->runs && c->quantity->kind != MM_QUANTITY_GIVEN; r++) {
        int fits = 2;

        if (!is_at_numbers(c, r))
            continue;
        for (size_t i = 0; i < s->axes.count; i++)
            if (c->matters[i] > 0 && !same_text(s, i, r, c->asked->text[i]))
                fits = 1;
        found = fits > found ? fits : found;
    }
    return found;
}

/* Find the runs whose classes are nearest to the request: among runs with the requested
 * numbers, else among groups large enough for a scaling function. Set `words` to their
 * classes. Returns 0 if there are no such runs. */
static int find_reference(const struct choosing *c, const char **words)
{
    const struct mm_structure *s = c->structure;
    size_t best = 0, best_run = s->runs;

    for (size_t r = 0; r < s->runs; r++) {
        size_t agree = 0, points, score;

        if (isnan(c->quantity->y[r]))
            continue;
        for (size_t i = 0; i < s->axes.count; i++) {
            words[i] = text_of(s, i, r);
            agree += c->matters[i] && same_text(s, i, r, c->asked->text[i]);
        }
        select_runs(c, words);
        points = mm_quantity_points(s, c->quantity, c->selected);
        score = is_at_numbers(c, r) * 2000000 + (points >= ENOUGH) * 1000000 +
                agree * 1000 + points;
        if (score > best) {
            best = score;
            best_run = r;
        }
    }
    for (size_t i = 0; i < s->axes.count && best_run < s->runs; i++)
        words[i] = text_of(s, i, best_run);
    return best_run < s->runs;
}

/* Mean and spread of log(y with the requested class / y with the reference) over pairs of
 * runs that differ on this axis alone. Returns the number of pairs. */
static size_t ratio_of(const struct choosing *c, size_t axis, const char *reference,
                       double *mean, double *half)
{
    const struct mm_structure *s = c->structure;
    double sum = 0, squares = 0, last = 0;
    size_t count = 0;

    for (size_t a = 0; a < s->runs; a++)
        for (size_t b = 0; b < s->runs; b++) {
            double log_ratio;

            if (!(c->quantity->y[a] > 0) || !(c->quantity->y[b] > 0) ||
                !same_text(s, axis, a, c->asked->text[axis]) ||
                !same_text(s, axis, b, reference) || !differ_in(s, a, b, axis))
                continue;
            log_ratio = log(c->quantity->y[a] / c->quantity->y[b]);
            sum += log_ratio;
            squares += log_ratio * log_ratio;
            last = log_ratio;
            count++;
        }
    if (!count)
        return 0;
    *mean = sum / (double)count;
    *half = 2 * sqrt(fmax(squares / (double)count - *mean * *mean, 0));
    if (*half <= CCA_SAME &&
        fabs(last) > CCA_SAME) /* if all pairs have one size, the ratio may be another at
                                  other sizes */
        *half = fabs(last) / 2;
    return count;
}

/* Multiply an amount by a factor whose logarithm is known to +- `half`. */
static void scale(struct mm_amount *amount, double log_ratio, double half)
{
    double ratio = exp(log_ratio);

    amount->number.value *= ratio;
    amount->own = hypot(amount->own * ratio, amount->number.value * half);
    amount->number.low = fmax(
        amount->number.value - hypot(amount->number.value * half,
                                     amount->number.value - amount->number.low * ratio),
        0);
    amount->number.high =
        amount->number.value + hypot(amount->number.value * half,
                                     amount->number.high * ratio - amount->number.value);
    amount->number.low = fmin(amount->number.low, amount->number.value);
    amount->number.high = fmax(amount->number.high, amount->number.value);
    amount->exact = amount->exact && half == 0;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        amount->driver[d] *= ratio;
}

/* Compose an amount: the amount with the nearest classes that ran, times the ratios of
 * the requested classes to these. Exogenous counts are not used: their values belong to
 * the requested classes, so the ratios contain their effect. */
static int compose(const struct choosing *c, const char **words, struct mm_amount *amount,
                   struct cca_error *err)
{
    const struct mm_structure *s = c->structure;

    if (!find_reference(c, words)) {
        snprintf(amount->why, sizeof amount->why, "no run has it");
        return 0;
    }
    select_runs(c, words);
    if (!mm_quantity_recorded(s, c->quantity, c->selected, c->asked, amount) &&
        mm_quantity_at(c->structure, c->quantity, c->selected, 0, c->asked, amount, err))
        return err->code;
    for (size_t i = 0; i < s->axes.count && isfinite(amount->number.value); i++) {
        size_t used = strlen(amount->law);
        double mean = 0, half = 0;

        if (!c->matters[i] ||
            (c->asked->text[i] && strcmp(words[i], c->asked->text[i]) == 0))
            continue;
        if (!ratio_of(c, i, words[i], &mean, &half)) {
            if (c->matters[i] > 0)
                snprintf(amount->why, sizeof amount->why,
                         "no two runs differ in %s = %.60s alone", s->axes.items[i].name,
                         c->asked->text[i] ? c->asked->text[i] : "nothing");
            continue;
        }
        scale(amount, mean, half);
        snprintf(amount->law + used, sizeof amount->law - used, " * %.4g with %.60s",
                 exp(mean), c->asked->text[i]);
    }
    if (*amount->why)
        amount->number = (struct mm_law_number){NAN, NAN, NAN};
    return 0;
}

/* Set `matters` of each axis: 1: the axis is known to matter; -1: not known. Returns true
 * if an axis is known to matter, or if it is not known and the requested class never ran
 * together with the other requested classes. */
static int find_matters(struct choosing *c)
{
    double noise = repeat_noise(c->structure, c->quantity);
    int any = 0;

    for (size_t i = 0; i < c->structure->axes.count; i++) {
        if (!mm_is_word_axis(c->structure, i))
            continue;
        c->matters[i] =
            (signed char)(c->quantity->kind == MM_QUANTITY_GIVEN
                              ? axis_matters_clearly(c->structure, c->quantity, i)
                              : axis_matters(c->structure, c->quantity, i, noise));
        any |= c->matters[i] != 0;
    }
    return any;
}

/* Half-width of an amount's interval over its value; infinite: not known. */
static double relative(const struct mm_amount *amount)
{
    const struct mm_law_number *n = &amount->number;

    if (!isfinite(n->value))
        return INFINITY;
    return n->value > 0 ? (n->high - n->low) / 2 / n->value : n->high - n->low;
}

static void take_narrower(struct mm_amount *amount, const struct mm_amount *other)
{
    if (relative(other) < relative(amount) ||
        (!isfinite(amount->number.value) && !*amount->why))
        *amount = *other;
}

/* Use the scaling function of the selected runs. Where an exogenous count varies in step
 * with a parameter, a scaling function with both extrapolates badly: of it and the
 * scaling function without exogenous counts, use the one with the smaller error. */
static int answer_selected(struct choosing *c, int with_drivers, struct mm_amount *amount,
                           struct cca_error *err)
{
    struct mm_amount other;

    if (mm_quantity_at(c->structure, c->quantity, c->selected, with_drivers, c->asked,
                       amount, err))
        return err->code;
    if (!with_drivers || amount->own == 0)
        return 0;
    if (mm_quantity_at(c->structure, c->quantity, c->selected, 0, c->asked, &other, err))
        return err->code;
    take_narrower(amount, &other);
    return 0;
}

static int answer(struct choosing *c, const char **words, struct mm_amount *amount,
                  struct cca_error *err)
{
    struct mm_structure *s = c->structure;
    int with_drivers = s->driver_count && !c->quantity->is_driver &&
                       c->quantity->kind != MM_QUANTITY_MOST &&
                       c->quantity->kind != MM_QUANTITY_GIVEN;
    int any = find_matters(c), base = has_base(c), compared = any && with_drivers, exact;
    struct mm_amount other = {.number = {NAN, NAN, NAN}};

    select_runs(c, c->asked->text);
    if (mm_quantity_recorded(s, c->quantity, c->selected, c->asked, amount))
        return 0;
    if (compared) { /* classes may matter only through the exogenous counts */
        memset(c->selected, 1, s->runs);
        exact = mm_quantity_is_exact(s, c->quantity, c->selected, 1, err);
        if (exact < 0)
            return exact;
        if (mm_quantity_at(s, c->quantity, c->selected, 1, c->asked, &other, err))
            return err->code;
        if (exact && isfinite(other.number.value)) {
            *amount = other;
            return 0;
        }
        select_runs(c, c->asked->text);
    }
    if (!any || (mm_quantity_points(s, c->quantity, c->selected) >= ENOUGH && base < 2)) {
        if (answer_selected(c, with_drivers, amount, err))
            return err->code;
        if (!any || !base || amount->exact)
            return 0;
        other = *amount;
        *amount = (struct mm_amount){.number = {NAN, NAN, NAN}};
        compared = 1;
    }
    if (compose(c, words, amount, err))
        return err->code;
    if (compared)
        take_narrower(amount, &other);
    return 0;
}

int mm_classes_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                      const struct mm_asked *asked, struct mm_amount *amount,
                      struct cca_error *err)
{
    struct choosing c = {.structure = structure, .quantity = quantity, .asked = asked};
    const char **words = calloc(structure->axes.count + 1, sizeof *words);
    int result;

    *amount = (struct mm_amount){.number = {NAN, NAN, NAN}};
    c.matters = calloc(structure->axes.count + 1, sizeof *c.matters);
    c.selected = calloc(structure->runs + 1, sizeof *c.selected);
    if (!words || !c.matters || !c.selected)
        result = cca_no_memory(err);
    else
        result = answer(&c, words, amount, err);
    free(words);
    free(c.matters);
    free(c.selected);
    return result;
}
