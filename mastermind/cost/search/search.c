/* SPDX-License-Identifier: BSD-3-Clause */
/* search.c: from a table of sizes to the forms that explain it.
 *
 *   sheet ──▶ pool ──▶ screen ──┐
 *     ▲                breaks ──┼──▶ shortlist ──▶ judge ──▶ best form and rivals
 *     │                powers ──┘        │
 *     └─────────────── tau ──────────────┘ */
#include "mastermind/cost/search/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/search/parts.h"
#include "mastermind/cost/search/pool.h"
#include "mastermind/cost/search/judge.h"
#include "mastermind/cost/search/ladder.h"
#include "mastermind/cost/search/price.h"
#include "mastermind/cost/search/screen.h"
#include "mastermind/cost/calls/numbers.h"

/* largest number of sizes (rows) with which candidates are screened */
#define MOST_ROWS 400
#define SINGLES 4
/* largest number of candidates that may get a break, with several parameters */
#define LEADS_MORE_AXES 7
#define LEADS 12 /* candidates that may get a break */
/* change of the ratio of two sizes' weights from which on the search is repeated */
#define REWEIGH 1.5

#define VANISHING 3. /* price of a cost that falls to 0 at some size */

struct search {
    double max_power;
    struct mm_end end;
    double apart; /* contribution of outliers set apart to the squared scatter of sizes */
    struct mm_sheet *sheet;
    struct mm_pool columns;
    struct mm_bench bench;
    struct mm_shortlist list, singles, leads, next;
};

/* True if the costs of any two sizes differ by more than measuring overhead. */
static int sizes_differ(const struct mm_sheet *s)
{
    double least = INFINITY, most = 0, floor = s->table->floor_ns;

    for (size_t i = 0; i < s->rows; i++) {
        least = fmin(least, s->y[i]);
        most = fmax(most, s->y[i]);
    }
    return most > least && ((most - least) * s->unit > floor || !(floor > 0));
}

static void add_constant(struct search *s)
{
    int is_run = mm_method_peak(s->sheet->table->method) < SIZE_MAX;
    struct mm_candidate c = {.basis = {{.kind = MM_BASIS_ONE}},
                             .count = 1,
                             .price = is_run ? 0 : -MM_CONSTANT_BONUS};
    struct mm_fit fit;

    if (mm_judge_fit(&s->bench, &c, &fit) == 0)
        mm_shortlist_add(&s->list, &c);
}

/* Try a constant minus a multiple of a parameter or of a usual function of it. The pool
 * has growing terms only. */
static void add_falling(struct search *s)
{
    static const struct mm_factor shape[] = {{0, 1, 0}, {0, .5, 0}, {0, 0, 1}, {0, 2, 0}};

    for (size_t i = 0; i < 4 * s->sheet->axes; i++) {
        struct mm_candidate c = {
            .basis = {{.kind = MM_BASIS_PRODUCT, .factors = 1}, {.kind = MM_BASIS_ONE}},
            .count = 2};
        struct mm_fit fit;

        c.basis[0].factor[0] = shape[i % 4];
        c.basis[0].factor[0].parameter = s->sheet->axis[i / 4].parameter;
        c.price = VANISHING + mm_price_basis(s->sheet, &c.basis[0], s->max_power);
        if (isfinite(c.price) && mm_judge_fit(&s->bench, &c, &fit) == 0 &&
            fit.coefficient[0] < 0)
            mm_shortlist_add(&s->list, &c);
    }
}

/* Add a x (+ c) of each parameter x as a formula that may get breaks, even if it fits
 * badly alone. */
static void add_lines(struct search *s)
{
    for (size_t k = 0; k < s->sheet->axes && s->leads.count + 2 < LEADS_MORE_AXES; k++) {
        struct mm_candidate c = {.count = 1};
        struct mm_fit fit;

        c.basis[0] = (struct mm_basis){.kind = MM_BASIS_PRODUCT,
                                       .factor = {{s->sheet->axis[k].parameter, 1, 0}},
                                       .factors = 1};
        c.price = mm_price_basis(s->sheet, &c.basis[0], s->max_power);
        if (!isfinite(c.price) || mm_judge_fit(&s->bench, &c, &fit) < 0)
            continue;
        s->leads.item[s->leads.count++] = c;
        c.basis[c.count++] = (struct mm_basis){.kind = MM_BASIS_ONE};
        s->leads.item[s->leads.count++] = c;
    }
}

/* Set the formulas that may get breaks (leads): a constant, lines, the best single terms
 * and the best candidates. */
static void set_leads(struct search *s)
{
    size_t order[MM_SHORTLIST], most = s->sheet->axes > 1 ? LEADS_MORE_AXES : LEADS;

    mm_shortlist_order(&s->list, order);
    mm_shortlist_clear(&s->leads, MM_SHORTLIST, INFINITY);
    s->leads.item[s->leads.count++] =
        (struct mm_candidate){.basis = {{.kind = MM_BASIS_ONE}}, .count = 1};
    add_lines(s);
    for (size_t i = 0; i < s->singles.count && s->leads.count < most; i++)
        s->leads.item[s->leads.count++] = s->singles.item[i];
    for (size_t i = 0; i < s->list.count && s->leads.count < most + 1; i++)
        if (s->list.item[order[i]].count > 2)
            s->leads.item[s->leads.count++] = s->list.item[order[i]];
}

/* Fill the list with the best candidates at the current weights of the sizes. */
static int search_candidates(struct search *s)
{
    mm_shortlist_clear(&s->list, MM_SHORTLIST, MM_WINDOW);
    mm_shortlist_clear(&s->singles, SINGLES, INFINITY);
    add_constant(s);
    add_falling(s);
    if (!sizes_differ(s->sheet))
        return 0;
    if (mm_screen(&s->columns, &s->list, &s->singles) < 0)
        return -ENOMEM;
    mm_powers_search(&s->bench, s->max_power, &s->list);
    if (s->sheet->axes > 1 && mm_ladder_climb(&s->bench, s->max_power, &s->list) < 0)
        return -ENOMEM;
    set_leads(s);
    mm_shortlist_clear(&s->next, MM_SECOND_LEADS, INFINITY);
    if (mm_breaks_search(&s->bench, &s->leads, s->max_power, &s->list, &s->next) < 0)
        return -ENOMEM;
    return mm_breaks_search(&s->bench, &s->next, s->max_power, &s->list, NULL);
}

/* Initial relative scatter of sizes (tau): equal to the noise of calls. */
static double first_tau(const struct mm_sheet *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->rows; i++)
        sum += s->noise[i] / (s->size[i] * s->size[i]);
    return s->rows ? fmin(sqrt(sum / (double)s->rows), 1) : 0;
}

/* Set tau to the scatter of sizes about the best candidate. Returns the largest change of
 * the ratio of two sizes' weights. */
static double adopt_tau(struct search *s)
{
    double tau = 0, least = INFINITY, most = 0;
    struct mm_sheet *sheet = s->sheet;

    if (s->list.count)
        tau = mm_judge_tau(&s->bench, &s->list.item[s->list.best]);
    for (size_t i = 0; i < sheet->rows; i++) {
        double other = fmax(tau, MM_EXACT) * sheet->size[i];
        double ratio = sheet->weight[i] * (sheet->noise[i] + other * other);

        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    mm_sheet_set_tau(sheet, tau);
    return most / least;
}

static int search_again(struct search *s)
{
    int result;

    mm_pool_weigh(&s->columns);
    result = search_candidates(s);
    if (result == 0)
        adopt_tau(s);
    return result;
}

/* Reduce the weight of a size whose cost differs from all others. False: there is
 * none. */
static int set_outlier_apart(struct search *s)
{
    struct mm_sheet *sheet = s->sheet;
    size_t row;
    double residual;

    for (size_t i = 0; i < s->list.count; i++) {
        struct mm_fit fit;

        mm_judge_fit(&s->bench, &s->list.item[i], &fit);
    }
    mm_shortlist_rank(&s->list);
    if (!mm_outlier_find(&s->bench, &s->list, &row, &residual))
        return 0;
    if (!mm_end_see(&s->end, sheet, row, residual))
        s->apart += pow(residual / sheet->size[row], 2) / (double)sheet->rows;
    sheet->noise[row] += residual * residual;
    mm_sheet_set_tau(sheet, first_tau(sheet));
    return 1;
}

static int search_sheet(struct search *s, struct mm_sheet *sheet)
{
    int result = -ENOMEM;

    s->sheet = sheet;
    mm_sheet_set_tau(sheet, first_tau(sheet));
    if (mm_pool_init(&s->columns, sheet, s->max_power) < 0)
        return -ENOMEM;
    if (mm_bench_init(&s->bench, sheet) == 0)
        result = search_candidates(s);
    if (result == 0 && adopt_tau(s) > REWEIGH)
        result = search_again(s);
    for (size_t i = 0; result == 0 && i < sheet->rows / MM_OUTLIER_ROWS; i++) {
        if (!set_outlier_apart(s))
            break;
        result = search_again(s);
    }
    mm_bench_done(&s->bench);
    mm_pool_done(&s->columns);
    return result;
}

/* Take evenly spaced rows, at most MOST_ROWS, which bounds the cost of the search for
 * tables with very many sizes. */
static int thin_sheet(struct mm_sheet *thin, const struct mm_sheet *sheet)
{
    const struct mm_sample_table *t = sheet->table;
    size_t *row = malloc(MOST_ROWS * sizeof *row), finite = 0, count = 0;
    int result;

    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        if (!isfinite(t->typ[i]))
            continue;
        if (finite * MOST_ROWS / sheet->rows >= count && count < MOST_ROWS)
            row[count++] = i;
        finite++;
    }
    result = mm_sheet_init(thin, t, row, count);
    free(row);
    return result;
}

/* Search for candidates with some of the rows (sizes), then fit the candidates to all
 * rows. */
static int search_large(struct search *s, struct mm_sheet *sheet)
{
    struct mm_sheet thin;
    struct mm_shortlist found;
    int result;

    if (thin_sheet(&thin, sheet) < 0)
        return -ENOMEM;
    result = search_sheet(s, &thin);
    /* `end` has the index of a row of the thinned sheet, not of `sheet` */
    s->end.found = 0;
    found = s->list;
    mm_shortlist_clear(&s->list, MM_SHORTLIST, MM_WINDOW);
    if (result == 0 && (result = mm_bench_init(&s->bench, sheet)) == 0) {
        mm_sheet_set_tau(sheet, thin.tau);
        for (size_t i = 0; i < found.count; i++) {
            struct mm_fit fit;

            if (mm_judge_fit(&s->bench, &found.item[i], &fit) == 0)
                mm_shortlist_add(&s->list, &found.item[i]);
        }
        s->sheet = sheet;
        adopt_tau(s);
        mm_bench_done(&s->bench);
    }
    mm_sheet_done(&thin);
    return result;
}

int mm_search(const struct mm_sample_table *table,
              const struct mm_search_options *options, struct mm_forms *forms)
{
    struct search *s = calloc(1, sizeof *s);
    struct mm_sheet sheet;
    int result;

    *forms = (struct mm_forms){.count = 0};
    if (!s || mm_sheet_init(&sheet, table, NULL, 0) < 0) {
        free(s);
        return -ENOMEM;
    }
    s->max_power = options && options->max_power > 0 ? options->max_power : MM_MAX_POWER;
    result = sheet.rows > MOST_ROWS ? search_large(s, &sheet) : search_sheet(s, &sheet);
    if (result == 0)
        result = mm_rivals_set(&sheet, &s->list, forms);
    if (result == 0 && s->end.found)
        mm_end_add(&s->end, &sheet, forms);
    forms->tau = sqrt(forms->tau * forms->tau + s->apart);
    mm_sheet_done(&sheet);
    free(s);
    return result;
}
