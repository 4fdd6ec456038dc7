/* SPDX-License-Identifier: BSD-3-Clause */
/* rivals.c: final fits, covariances and weights of the competing forms. */
#include "mastermind/cost/search/parts.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/statistics.h"
#include "mastermind/cost/search/price.h"

#define PROBES 8
/* a term with a smaller share of the cost at all sizes is invisible */
#define VISIBLE .02
#define NEVER 100.
/* Candidates within this difference of the best score are equally good (a factor of about
 * 5 in odds). A unit of score counts as WORSE units of complexity. */
#define ALIKE 3.
#define WORSE .5
/* Forms that differ by less at all probes (tuples of in-values) are considered equal. */
#define SAME_GROWTH .03

/* Tuples of in-values within and beyond the measured sizes, at which forms are
 * compared. */
struct probes {
    double x[PROBES + MONITOR_MAX_IN][MONITOR_MAX_IN];
    size_t count;
};

/* Set the tuples at which forms are compared: all parameters at their lowest, middle and
 * largest values; all at 2, 4 and 16 times their largest values; and one parameter at a
 * time at 4 times its largest value, the others at their middle values. */
static void set_probes(const struct mm_sheet *s, struct probes *p)
{
    static const double times[] = {2, 4, 16};

    memset(p, 0, sizeof *p);
    for (size_t k = 0; k < s->axes; k++) {
        const struct mm_axis *axis = &s->axis[k];
        double middle = axis->low > 0 ? sqrt(axis->low) * sqrt(axis->high)
                                      : (axis->low + axis->high) / 2;

        p->x[0][axis->parameter] = axis->low;
        p->x[1][axis->parameter] = middle;
        p->x[2][axis->parameter] = axis->high;
        for (size_t i = 0; i < 3; i++)
            p->x[3 + i][axis->parameter] = times[i] * axis->high;
        for (size_t j = 0; j < s->axes; j++)
            p->x[6 + j][axis->parameter] = j == k ? 4 * axis->high : middle;
    }
    p->count = 6 + (s->axes > 1 ? s->axes : 0);
}

/* The predictions of a form at the probes (tuples at which forms are compared). */
struct growth {
    double value[PROBES + MONITOR_MAX_IN];
};

static void set_growth(const struct probes *p, const struct mm_form *form,
                       struct growth *growth)
{
    for (size_t i = 0; i < p->count; i++)
        growth->value[i] = mm_form_value(form, p->x[i]);
}

static int grows_alike(const struct probes *p, const struct growth *a,
                       const struct growth *b)
{
    for (size_t i = 0; i < p->count; i++) {
        double left = a->value[i], right = b->value[i];

        if (!(fabs(left - right) <= SAME_GROWTH * fmax(fabs(left), fabs(right))))
            return 0;
    }
    return 1;
}

/* Set `form` to the candidate that `bench` has just fitted. False where a coefficient or
 * its variance overflows. */
static int set_form(struct mm_bench *bench, const struct mm_candidate *c,
                    const struct mm_fit *fit, struct mm_form *form)
{
    const struct mm_sheet *s = bench->sheet;
    double unit = s->unit, freedom = (double)s->rows - (double)(c->count + c->places);
    double scale = freedom > 0 ? fmax(1, fit->chi2 / freedom) : 1;

    *form = (struct mm_form){.count = c->count, .score = c->score, .error = NAN};
    for (size_t i = 0; i < c->count; i++) {
        form->basis[i] = c->basis[i];
        form->a[i] = fit->coefficient[i] * unit;
        for (size_t k = 0; k < c->count; k++)
            form->cov[i][k] = fit->cov[i][k] * scale * unit * unit;
        if (!isfinite(form->a[i]) || !isfinite(form->cov[i][i]))
            return 0;
    }
    for (size_t i = 0; i < s->rows; i++)
        bench->work[i] = fabs(bench->loo[i]) / (s->y[i] > 0 ? s->y[i] : s->size[i]);
    /* The form is the best of many, so chance has reduced its errors, about as if each
     * coefficient had been fitted twice. */
    if (s->rows > 1)
        form->error = cca_median(bench->work, s->rows) *
                      sqrt(1 + (double)(c->count + c->places) / (double)s->rows);
    return 1;
}

/* Set `form` to a constant, the weighted mean cost of all sizes. */
static void set_constant(const struct mm_sheet *s, struct mm_form *form)
{
    double sum = 0, weight = 0;

    *form = (struct mm_form){.basis = {{.kind = MM_BASIS_ONE}}, .count = 1, .error = NAN};
    for (size_t i = 0; i < s->rows; i++) {
        sum += s->weight[i] * s->y[i];
        weight += s->weight[i];
    }
    form->a[0] = weight > 0 ? sum / weight * s->unit : 0;
    form->cov[0][0] = NAN;
    if (s->rows == 1)
        form->cov[0][0] = s->noise[0] * s->unit * s->unit;
}

/* Add a form to the list, or add its weight to a listed form with the same growth. */
static void place_form(struct mm_forms *forms, const struct probes *probes,
                       struct growth *growth, const struct mm_form *form)
{
    struct growth own;

    set_growth(probes, form, &own);
    for (size_t i = 0; i < forms->count; i++) {
        if (grows_alike(probes, &growth[i], &own)) {
            forms->form[i].weight += form->weight;
            return;
        }
    }
    if (forms->count == MM_FORMS)
        return;
    growth[forms->count] = own;
    forms->form[forms->count++] = *form;
}

/* Fit all candidates with the final weights of the sizes. `order` gets the candidates'
 * indexes, the best first. */
static void judge_again(struct mm_bench *bench, struct mm_shortlist *list, size_t *order)
{
    double least = list->count ? list->item[list->best].score : 0;

    for (size_t i = 0; i < list->count; i++) {
        struct mm_candidate *c = &list->item[i];
        struct mm_fit fit;

        if (c->score > least + MM_WINDOW || mm_judge_fit(bench, c, &fit) < 0)
            c->score = INFINITY;
    }
    mm_shortlist_order(list, order);
}

/* Complexity of a formula: number of coefficients and unusual shapes. A term that is
 * invisible at all sizes excludes the formula. */
static double complexity(struct mm_bench *bench, struct mm_candidate *c)
{
    const struct mm_sheet *s = bench->sheet;
    double sum = 2 * (double)(c->count + c->places);
    struct mm_fit fit;

    mm_judge_fit(bench, c, &fit);
    for (size_t k = 0; k < c->count; k++) {
        double share = 0;

        for (size_t i = 0; i < s->rows; i++)
            share = fmax(share, fabs(fit.coefficient[k] * bench->column[k][i]) /
                                    bench->fitted[i]);
        sum += mm_price_shape(&c->basis[k]) + (share < VISIBLE ? NEVER : 0);
    }
    return sum;
}

/* Of the candidates that are as good as the best one, put the simplest first. */
static void simplest_first(struct mm_bench *bench, struct mm_shortlist *list,
                           size_t *order)
{
    double best = list->item[order[0]].score, least = INFINITY;
    size_t first = 0, number;

    for (size_t i = 0; i < list->count && list->item[order[i]].score < best + ALIKE;
         i++) {
        double own = complexity(bench, &list->item[order[i]]) +
                     WORSE * (list->item[order[i]].score - best);

        if (own < least) {
            least = own;
            first = i;
        }
    }
    number = order[first];
    for (size_t i = first; i > 0; i--)
        order[i] = order[i - 1];
    order[0] = number;
}

int mm_rivals_set(struct mm_sheet *sheet, struct mm_shortlist *list,
                  struct mm_forms *forms)
{
    struct mm_bench bench;
    struct probes probes;
    struct growth growth[MM_FORMS];
    size_t order[MM_SHORTLIST];
    double total = 0, best = 0;

    *forms = (struct mm_forms){.tau = sheet->tau};
    if (mm_bench_init(&bench, sheet) < 0)
        return -ENOMEM;
    set_probes(sheet, &probes);
    judge_again(&bench, list, order);
    if (list->count && isfinite(list->item[order[0]].score)) {
        best = list->item[order[0]].score;
        simplest_first(&bench, list, order);
    }
    for (size_t i = 0; i < list->count; i++) {
        struct mm_candidate *c = &list->item[order[i]];
        double behind = c->score - best;
        struct mm_form form;
        struct mm_fit fit;

        if (!(behind < MM_WINDOW))
            break;
        mm_judge_fit(&bench, c, &fit);
        if (!set_form(&bench, c, &fit, &form))
            continue;
        form.weight = exp(-behind / 2);
        place_form(forms, &probes, growth, &form);
    }
    if (!forms->count)
        set_constant(sheet, &forms->form[forms->count++]);
    if (forms->count == 1)
        forms->form[0].weight = 1;
    for (size_t i = 0; i < forms->count; i++)
        total += forms->form[i].weight;
    for (size_t i = 0; i < forms->count; i++)
        forms->form[i].weight /= total;
    mm_bench_done(&bench);
    return 0;
}
