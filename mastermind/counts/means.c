/* SPDX-License-Identifier: BSD-3-Clause */
/* means.c: make the predicted sums over the calls of a cell consistent, as means.h
 * explains: the number of calls or the work leads, whichever extrapolates better; other
 * sums are one of these two times a mean ratio. */
#include "mastermind/counts/means.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/statistics.h"
#include "mastermind/counts/classes.h"
#include "mastermind/counts/parts.h"

#define ENOUGH 3 /* least number of runs at different sizes for a mean */
#define NEAR .1  /* relative extrapolation of a mean that needs no proof */
/* largest factor by which a mean's interval may exceed the measured range */
#define MOST_BEYOND 2
/* ratio of the errors of two scaling functions below which they count as equally good */
#define ALIKE 1.25
/* ratio of the errors of two scaling functions at which one is far better */
#define FAR_BETTER .1
/* largest logarithmic error of a scaling function that counts as good */
#define GOOD .05
/* largest error of a sum's own scaling function, in units of the mean ratio's spread */
#define STEADIER .33
#define SPREAD .02 /* spread of means assumed before runs are seen */

/* The ratio of a sum over the calls of a cell to another one (its partner). With the
 * number of calls as partner it is the mean over the calls. */
struct mean {
    struct mm_quantity *ratio; /* ratio in each run */
    double value, half;        /* mean ratio, and half of the 90 % interval of its
                                  logarithm */
    double low, high;          /* smallest and largest ratio of the runs */
    double spread;             /* standard deviation of the ratio's logarithm */
    size_t runs;               /* number of runs at different sizes; below ENOUGH, the
                                  mean is not known */
    int is_proven; /* true if the ratio follows a scaling function of its own that larger
                      runs confirm */
    char law[MM_LAW_TEXT];
};

/* Half-width of the interval from a sum's own scaling function, over its value; infinite:
 * not known. */
static double relative(const struct mm_amount *amount)
{
    return amount->number.value > 0 ? amount->own / amount->number.value : INFINITY;
}

/* Error of a scaling function at larger runs; half of its interval if runs are too few.
 */
static double off_of(const struct mm_amount *amount)
{
    return isfinite(amount->ahead) ? amount->ahead : relative(amount);
}

/* True if in-value `at` is the product of in-values `a` and `b` in all calls, as in Q =
 * nx * ny. */
static int is_product(const struct mm_cells *cells, size_t cell,
                      const struct mm_method_info *method, size_t at, size_t a, size_t b)
{
    const struct mm_cell *c = &cells->items[cell];
    double x[MONITOR_MAX_IN];

    for (size_t r = 0; r < cells->runs; r++)
        for (size_t i = 0; i < c->runs[r].count; i++) {
            mm_cells_numbers(method, c->runs[r].tuples[i].in, x);
            if (x[at] != x[a] * x[b])
                return 0;
        }
    return 1;
}

/* List candidates for the work of one call, the likeliest first: a parameter that is the
 * product of two others; else the product of all parameters, then each parameter. Returns
 * their number. */
static size_t list_works(const struct mm_cells *cells, size_t cell,
                         struct mm_basis *works)
{
    const struct mm_method_info *method =
        cells->vertices[cells->items[cell].vertex].method;
    struct mm_basis all = {.kind = MM_BASIS_PRODUCT};
    size_t count = 0;

    for (size_t i = 0; i < method->in_count && count < MM_BASIS_FACTORS; i++) {
        if (method->values[i].kind != MONITOR_PARAM)
            continue;
        works[count] = (struct mm_basis){.kind = MM_BASIS_PRODUCT, .factors = 1};
        works[count].factor[0] = (struct mm_factor){.parameter = i, .power = 1};
        all.factor[all.factors++] = works[count++].factor[0];
    }
    for (size_t i = 0; count == 3 && i < 3; i++)
        if (is_product(cells, cell, method, all.factor[i].parameter,
                       all.factor[(i + 1) % 3].parameter,
                       all.factor[(i + 2) % 3].parameter)) {
            works[0] = works[i];
            return 1;
        }
    if (count < 2)
        return count;
    memmove(works + 1, works, count * sizeof *works);
    works[0] = all;
    return count + 1;
}

int mm_cell_work(const struct mm_cells *cells, size_t cell, struct mm_basis *work)
{
    struct mm_basis works[MM_BASIS_FACTORS + 1];

    if (!list_works(cells, cell, works))
        return 0;
    *work = works[0];
    return 1;
}

/* Return the work summed over the calls of a cell, with its predicted amount: the
 * likeliest candidate, unless another one's scaling function predicts larger runs far
 * better. NULL without an error: the calls have no parameters. */
static struct mm_quantity *find_work(struct mm_structure *s, size_t cell,
                                     const struct mm_asked *asked,
                                     struct mm_amount *amount, struct cca_error *err)
{
    struct mm_basis works[MM_BASIS_FACTORS + 1];
    size_t count = list_works(&s->cells, cell, works);
    struct mm_quantity *best = NULL;

    for (size_t i = 0; i < count; i++) {
        struct mm_quantity *work =
            mm_structure_quantity(s, MM_QUANTITY_SUM, cell, &works[i]);
        struct mm_amount tried;

        if (!work) {
            cca_no_memory(err);
            return NULL;
        }
        if (mm_classes_amount(s, work, asked, &tried, err))
            return NULL;
        if (best && !(off_of(&tried) < FAR_BETTER * off_of(amount)))
            continue;
        best = work;
        *amount = tried;
    }
    return best;
}

/* True if this run is selected and has a ratio, and no earlier selected run has equal
 * parameters. */
static int counts_for_mean(const struct mm_structure *s, const struct mm_quantity *ratio,
                           const unsigned char *selected, size_t run)
{
    if (!selected[run] || !(ratio->y[run] > 0))
        return 0;
    for (size_t k = 0; k < run; k++)
        if (selected[k] && ratio->y[k] > 0 && mm_runs_same_numbers(s, k, run))
            return 0;
    return 1;
}

static size_t count_means(const struct mm_structure *s, const struct mm_quantity *ratio,
                          const unsigned char *selected)
{
    size_t count = 0;

    for (size_t r = 0; r < s->runs; r++)
        count += (size_t)counts_for_mean(s, ratio, selected, r);
    return count;
}

/* Of the selected runs, keep only runs with the requested value on an axis, if there are
 * enough of these. */
static void narrow(const struct mm_structure *s, const struct mm_quantity *ratio,
                   size_t axis, const char *text, unsigned char *selected,
                   unsigned char *kept)
{
    memcpy(kept, selected, s->runs);
    for (size_t r = 0; r < s->runs; r++) {
        const char *own = s->axes.items[axis].text[r];

        if (own != text && (!own || !text || strcmp(own, text) != 0))
            selected[r] = 0;
    }
    if (count_means(s, ratio, selected) < ENOUGH)
        memcpy(selected, kept, s->runs);
}

/* Select runs for the mean: with the requested classes if there are enough, then with the
 * requested numbers. */
static void select_runs(const struct mm_structure *s, const struct mm_quantity *ratio,
                        const struct mm_asked *asked, unsigned char *selected)
{
    memset(selected, 1, s->runs);
    for (int words = 1; words >= 0; words--)
        for (size_t i = 0; i < s->axes.count; i++)
            if (mm_axis_counts(&s->axes, i) && s->axes.items[i].varies &&
                s->axes.items[i].is_number != words)
                narrow(s, ratio, i, asked->text[i], selected, selected + s->runs);
}

/* Set the mean ratio from the selected runs. */
static void describe_runs(const struct mm_structure *s, const unsigned char *selected,
                          struct mean *mean)
{
    double sum = 0, squares = 0, n;

    mean->runs = 0;
    mean->low = INFINITY;
    mean->high = 0;
    for (size_t r = 0; r < s->runs; r++) {
        double y = mean->ratio->y[r];

        if (!counts_for_mean(s, mean->ratio, selected, r))
            continue;
        mean->low = fmin(mean->low, y);
        mean->high = fmax(mean->high, y);
        sum += log(y);
        squares += log(y) * log(y);
        mean->runs++;
    }
    n = (double)mean->runs;
    if (mean->runs < ENOUGH)
        return;
    mean->value = exp(sum / n);
    mean->spread = sqrt(fmax(squares - sum * sum / n, 0) / (n - 1));
    mean->half =
        cca_student_quantile(.95, n - 1) * hypot(mean->spread, SPREAD) * sqrt(1 + 1 / n);
    mean->half = fmin(mean->half, log(MOST_BEYOND * mean->high / mean->low));
    snprintf(mean->law, sizeof mean->law, "%.4g", mean->value);
}

/* Find or make the quantity whose values are the ratios of a quantity to a partner, one
 * ratio per run.
 */
static struct mm_quantity *find_ratio(struct mm_structure *s,
                                      const struct mm_quantity *quantity,
                                      const struct mm_quantity *partner)
{
    struct mm_quantity *ratio;
    size_t at = 0;

    while (s->quantities[at] != partner)
        at++;
    ratio = mm_structure_numbers(s, MM_QUANTITY_MADE, quantity, at, quantity->y);
    for (size_t r = 0; ratio && r < s->runs; r++)
        ratio->y[r] = quantity->y[r] > 0 && partner->y[r] > 0
                          ? quantity->y[r] / partner->y[r]
                          : NAN;
    return ratio;
}

/* Compute the mean ratio of a quantity to a partner over the runs. Returns 0 or -ENOMEM
 * with `err`. */
static int describe_mean(struct mm_structure *s, const struct mm_quantity *quantity,
                         const struct mm_quantity *partner, const struct mm_asked *asked,
                         struct mean *mean, struct cca_error *err)
{
    unsigned char *selected = malloc(2 * s->runs + 1);

    *mean = (struct mean){.ratio = find_ratio(s, quantity, partner)};
    if (!mean->ratio || !selected) {
        free(selected);
        return cca_no_memory(err);
    }
    select_runs(s, mean->ratio, asked, selected);
    describe_runs(s, selected, mean);
    free(selected);
    return 0;
}

/* Use the scaling function of a mean ratio if larger runs confirm it. */
static int prove_mean(struct mm_structure *s, const struct mm_asked *asked,
                      struct mean *mean, struct cca_error *err)
{
    struct mm_amount amount;

    if (mm_classes_amount(s, mean->ratio, asked, &amount, err))
        return err->code;
    if (!amount.is_proven || !(amount.number.value > 0))
        return 0;
    mean->is_proven = 1;
    mean->value = amount.number.value;
    mean->half = log1p(amount.own / amount.number.value);
    snprintf(mean->law, sizeof mean->law, "%s", amount.law);
    return 0;
}

/* Set a sum to a partner's amount multiplied by the mean ratio. */
static void through_partner(const struct mm_amount *partner, const struct mean *mean,
                            struct mm_amount *amount)
{
    double squares;

    *amount = *partner;
    amount->exact = 0;
    amount->is_proven = amount->is_by_sizes = 0;
    amount->number.value *= mean->value;
    amount->own = amount->number.value * hypot(relative(partner), expm1(mean->half));
    squares = amount->own * amount->own;
    for (size_t d = 0; d < MM_DRIVERS; d++) {
        amount->driver[d] *= mean->value;
        squares += amount->driver[d] * amount->driver[d];
    }
    amount->number.low = fmax(amount->number.value - sqrt(squares), 0);
    amount->number.high = amount->number.value + sqrt(squares);
    snprintf(amount->law, sizeof amount->law,
             strchr(mean->law, ' ') ? "(%.150s) * (%.60s)" : "(%.150s) * %.60s",
             partner->law, mean->law);
}

/* True if the ratio of two predicted amounts lies in the range of the measured ratios, or
 * in the interval of the ratio's scaling function if larger runs confirm that scaling
 * function. */
static int is_seen(const struct mean *mean, const struct mm_amount *amount,
                   const struct mm_amount *partner)
{
    double implied = amount->number.value / partner->number.value;

    if (mean->is_proven)
        return fabs(log(implied / mean->value)) <= fmax(mean->half, NEAR);
    return implied >= mean->low / (1 + NEAR) && implied <= mean->high * (1 + NEAR);
}

/* True if the quantity of `amount` leads, that is, sets the other sums of its cell; it is
 * the calls if `is_calls`, else the work. Sums extrapolate better than numbers of pieces,
 * which depend on the cutting of a shape: calls lead only if they predict larger runs far
 * better than work does. */
static int leads(int is_calls, const struct mm_amount *amount,
                 const struct mm_amount *other)
{
    double calls = off_of(is_calls ? amount : other);
    double of_work = off_of(is_calls ? other : amount);

    return is_calls == (calls < FAR_BETTER * of_work);
}

/* True if a quantity that does not lead may keep its own scaling function: the scaling
 * function is about as good as the leading one, good by itself, or far better than a mean
 * that varies between runs. */
static int is_as_good(const struct mm_amount *amount, const struct mm_amount *lead,
                      const struct mean *mean)
{
    return isfinite(amount->number.value) &&
           off_of(amount) <=
               fmax(fmax(ALIKE * off_of(lead), GOOD), STEADIER * mean->spread);
}

/* Make calls and work agree. If `quantity`, one of them, does not lead, its amount may
 * become the lead's times the measured mean; `other` and `lead` are the second quantity
 * and its amount. */
static int join_leads(struct mm_structure *s, struct mm_quantity *quantity,
                      struct mm_quantity *other, struct mm_amount lead,
                      const struct mm_asked *asked, struct mm_amount *amount,
                      struct cca_error *err)
{
    struct mm_amount joined;
    struct mean mean;

    if (!(lead.number.value > 0) ||
        leads(quantity->kind == MM_QUANTITY_CALLS, amount, &lead))
        return 0;
    if (describe_mean(s, quantity, other, asked, &mean, err))
        return err->code;
    if (mean.runs < ENOUGH)
        return 0;
    if (prove_mean(s, asked, &mean, err))
        return err->code;
    through_partner(&lead, &mean, &joined);
    if (!is_seen(&mean, amount, &lead) ||
        (quantity->kind == MM_QUANTITY_CALLS && !is_as_good(amount, &lead, &mean)))
        *amount = joined;
    return 0;
}

/* Predict a sum other than calls and work. Of its mean per call and its mean per unit of
 * work, the ratio with less spread over the runs is multiplied by the predicted calls or
 * work. The product replaces `amount` if the sum's own scaling function contradicts the
 * measured means or is less certain. */
static int join_sum(struct mm_structure *s, struct mm_quantity *quantity,
                    struct mm_quantity *const *partner, const struct mm_asked *asked,
                    struct mm_amount *amount, struct cca_error *err)
{
    struct mm_amount base, joined;
    struct mean mean[2];
    size_t at;

    for (size_t i = 0; i < 2; i++)
        if (describe_mean(s, quantity, partner[i], asked, &mean[i], err))
            return err->code;
    if (mean[0].runs < ENOUGH || mean[1].runs < ENOUGH)
        return 0;
    at = mean[1].spread < mean[0].spread;
    if (mm_structure_amount(s, partner[at], asked, &base, err) ||
        prove_mean(s, asked, &mean[at], err))
        return err->code;
    if (!(base.number.value > 0))
        return 0;
    through_partner(&base, &mean[at], &joined);
    if (!is_seen(&mean[at], amount, &base) || relative(&joined) < relative(amount))
        *amount = joined;
    return 0;
}

int mm_means_join(struct mm_structure *s, struct mm_quantity *quantity,
                  const struct mm_asked *asked, struct mm_amount *amount,
                  struct cca_error *err)
{
    struct mm_quantity *calls, *work;
    struct mm_amount of_calls, of_work;

    if (quantity->cell >= s->cells.count || strcmp(amount->law, MM_AS_COUNTED) == 0)
        return 0;
    work = find_work(s, quantity->cell, asked, &of_work, err);
    if (!work)
        return err->code;
    calls = mm_structure_quantity(s, MM_QUANTITY_CALLS, quantity->cell, NULL);
    if (!calls)
        return cca_no_memory(err);
    if (quantity == calls)
        return join_leads(s, calls, work, of_work, asked, amount, err);
    if (quantity == work && mm_classes_amount(s, calls, asked, &of_calls, err))
        return err->code;
    if (quantity == work)
        return join_leads(s, work, calls, of_calls, asked, amount, err);
    return join_sum(s, quantity, (struct mm_quantity *[]){calls, work}, asked, amount,
                    err);
}
