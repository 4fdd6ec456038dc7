/* SPDX-License-Identifier: BSD-3-Clause */
/* models.c: find calls that cost more than the fitted model of their method predicts.
 *
 * A first walk collects the points of all methods, a second one compares each call with
 * the model of its method and modes. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/counts/counts.h"
#include "mastermind/cost/cost.h"
#include "properties/load/parts.h"
#include "properties/load/sums/sums.h"

enum {
    MOST_ROWS = 1000000, /* limit of rows: with more, the second walk would take as long
                          * as all other work */
    LEAST_CALLS = 30,    /* fewest calls of a method to which a model is fitted */
    /* limit of models of a method: one for each combination of its modes */
    MOST_MODES = 64
};

/* Calls of one method in one unit that took longer than the model's mean by more than
 * three standard deviations. */
struct excess {
    uint64_t calls;
    /* sum of the calls' times above the model's means, and its variance */
    double excess_ns, variance;
    /* The call with the largest excess: excess, time, model's mean, parameters. */
    double worst_ns, worst_time_ns, worst_model_ns;
    char *worst;
};

struct models {
    struct mm_load *load;
    uint64_t rows;
    struct mm_points *points; /* [method_count] calls to which models are fitted */
    /* [method_count] models of each method; NULL ends a list */
    struct mm_model *(*models)[MOST_MODES];
    /* [unit_count][method_count] calls that took much longer than the model predicts */
    struct excess *excess;
};

/* --- Points and models ---------------------------------------------------- */

static int is_timed(const struct mm_row *row)
{
    return row->status == MM_ROW_DONE && !row->clock_back && !row->counted;
}

static int on_point(const struct mm_row *row, const struct mm_joined *joined,
                    void *context)
{
    struct models *m = context;
    struct mm_call call = {.ns = (double)joined->exclusive_ns + row->exclusive_part_ns,
                           .start_ns = row->start_ns,
                           .lost_ns = (float)row->lost_exclusive_ns,
                           .waited = row->waited_exclusive != 0};

    if (!is_timed(row))
        return 0;
    m->rows++;
    return mm_points_add_call(&m->points[row->method->index], row->values, &call);
}

static int fit_modes(struct models *m, size_t method)
{
    struct mm_points *points = &m->points[method];
    struct mm_model **models = m->models[method];
    size_t count = 0;

    for (size_t i = 0; i < points->count && count < MOST_MODES - 1; i++) {
        size_t k = 0;
        int result;

        while (k < count &&
               !mm_same_modes(points->method, models[k]->modes, points->points[i].in))
            k++;
        if (k < count)
            continue;
        models[count] = calloc(1, sizeof **models);
        if (!models[count])
            return -ENOMEM;
        result = mm_model_fit(models[count], points, points->points[i].in, NULL, NULL);
        if (result == -ENOMEM)
            return result;
        if (result < 0) {
            free(models[count]);
            models[count] = NULL;
            continue;
        }
        count++;
    }
    return 0;
}

static int fit_all(struct models *m)
{
    int result = 0;

    for (size_t i = 0; i < m->load->e->method_count && !result; i++) {
        uint64_t calls = 0;

        for (size_t k = 0; k < m->points[i].count; k++)
            calls += m->points[i].points[k].n;
        if (calls >= LEAST_CALLS)
            result = fit_modes(m, i);
    }
    return result;
}

static const struct mm_model *model_of(const struct models *m, const struct mm_row *row)
{
    struct mm_model *const *model = m->models[row->method->index];

    while (*model && !mm_same_modes(row->method, (*model)->modes, row->values))
        model++;
    return *model;
}

/* --- Calls above the model ------------------------------------------------ */

static void print_value(struct mm_text *text, const struct mm_value_info *info,
                        const union monitor_value *value)
{
    mm_text_add(text, "%s%s=", text->length ? ", " : "", info->name);
    for (size_t i = 0; i < info->label_count; i++)
        if (info->labels[i].value == value->i) {
            mm_text_add(text, "%s", info->labels[i].text);
            return;
        }
    if (monitor_value_absent(*value, info->type))
        mm_text_add(text, "?");
    else if (info->type == MONITOR_DOUBLE)
        mm_text_add(text, "%.6g", value->d);
    else
        mm_text_add(text, "%" PRId64, value->i);
}

static int note_worst(struct excess *e, const struct mm_row *row, double time_ns,
                      double model_ns)
{
    struct mm_text text = {0};

    mm_text_add(&text, "%s", "");
    for (size_t i = 0; i < row->method->in_count; i++)
        print_value(&text, &row->method->values[i], &row->values[i]);
    free(e->worst);
    e->worst = text.text;
    e->worst_ns = time_ns - model_ns;
    e->worst_time_ns = time_ns;
    e->worst_model_ns = model_ns;
    return text.failed ? -ENOMEM : 0;
}

static int on_call(const struct mm_row *row, const struct mm_joined *joined,
                   void *context)
{
    struct models *m = context;
    const struct mm_model *model = is_timed(row) ? model_of(m, row) : NULL;
    struct mm_load_unit *unit;
    double ns, mean_ns, sd_ns;
    struct excess *e;

    if (!model || mm_model_is_lacking(model, row->values))
        return 0;
    ns = (double)joined->exclusive_ns + row->exclusive_part_ns;
    mean_ns = mm_model_mean_ns(model, row->values);
    sd_ns = mm_model_sd_ns(model, row->values);
    if (!(ns - mean_ns > 3 * sd_ns) || !isfinite(mean_ns))
        return 0;
    if (!row->waited_exclusive && (double)row->lost_exclusive_ns >= ns - mean_ns)
        return 0; /* the time above the model's mean was lost to the host */
    unit = mm_load_unit_of(m->load, row->rank, row->thread);
    if (!unit)
        return 0;
    e = &m->excess[(size_t)(unit - m->load->units) * m->load->e->method_count +
                   m->load->same[row->method->index]];
    e->calls++;
    e->excess_ns += ns - mean_ns;
    e->variance += sd_ns * sd_ns;
    return ns - mean_ns > e->worst_ns ? note_worst(e, row, ns, mean_ns) : 0;
}

/* --- Rows ----------------------------------------------------------------- */

/* Whether a method, or another method of the same name, has a model. */
static int has_model(const struct models *m, size_t method)
{
    for (size_t i = method; i < m->load->e->method_count; i++)
        if (m->load->same[i] == method && m->models[i][0])
            return 1;
    return 0;
}

static int put_all(struct models *m)
{
    struct mm_load *load = m->load;
    size_t methods = load->e->method_count;
    sqlite3_stmt *s = mm_put_prepare(
        load->store, "INSERT INTO model_excess VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        load->err);
    int result = s ? 0 : load->err->code;

    for (size_t i = 0; i < load->unit_count * methods && !result; i++) {
        const struct excess *e = &m->excess[i];
        int64_t region = 0;

        /* a row is written even if no call is above its model: that is a result, too */
        if (!has_model(m, i % methods) || !load->units[i / methods].sums ||
            !load->units[i / methods].sums[i % methods].calls)
            continue;
        result = mm_load_method(load, load->e->methods[i % methods], &region);
        if (!result)
            result = mm_put(load->store, s, load->err, "iiirrrtrr", load->experiment,
                            region, load->units[i / methods].id, (double)e->calls,
                            e->excess_ns / 1e9, sqrt(e->variance) / 1e9, e->worst,
                            e->calls ? e->worst_time_ns / 1e9 : (double)NAN,
                            e->calls ? e->worst_model_ns / 1e9 : (double)NAN);
    }
    sqlite3_finalize(s);
    return result;
}

static int walk(struct models *m, mm_joined_function function)
{
    struct mm_row_source source = mm_row_source_of(m->load->e);
    struct mm_dual *dual;

    source.walk_aggregates = NULL;
    dual = mm_dual_new(&source, function, NULL, m, m->load->err);
    mm_dual_free(dual);
    return dual ? 0 : m->load->err->code;
}

static void done(struct models *m)
{
    size_t methods = m->load->e->method_count;

    for (size_t i = 0; m->points && i < methods; i++)
        mm_points_done(&m->points[i]);
    for (size_t i = 0; m->models && i < methods; i++)
        for (size_t k = 0; m->models[i][k]; k++) {
            mm_model_done(m->models[i][k]);
            free(m->models[i][k]);
        }
    for (size_t i = 0; m->excess && i < m->load->unit_count * methods; i++)
        free(m->excess[i].worst);
    free(m->points);
    free(m->models);
    free(m->excess);
}

static int fit_and_compare(struct models *m)
{
    const struct mm_experiment *e = m->load->e;
    size_t methods = e->method_count;
    int result;

    m->points = calloc(methods + 1, sizeof *m->points);
    m->models = calloc(methods + 1, sizeof *m->models);
    m->excess = calloc(m->load->unit_count * methods + 1, sizeof *m->excess);
    if (!m->points || !m->models || !m->excess)
        return -ENOMEM;
    for (size_t i = 0; i < methods; i++) {
        mm_points_init(&m->points[i], e->methods[i]);
        if (mm_points_run(&m->points[i], e) < 0)
            return -ENOMEM;
    }
    result = walk(m, on_point);
    if (!result)
        result = fit_all(m);
    if (!result)
        result = walk(m, on_call);
    return result ? result : put_all(m);
}

int mm_load_models(struct mm_load *load)
{
    struct models m = {.load = load};
    uint64_t calls = 0;
    int result;

    for (size_t i = 0; i < load->unit_count; i++)
        for (size_t k = 0; load->units[i].sums && k < load->e->method_count; k++)
            calls += load->units[i].sums[k].calls;
    if (load->options->no_models || !calls)
        return mm_load_missing(load, "model_excess", "%s",
                               calls ? "models were left out" : "no method was measured");
    if (calls > MOST_ROWS)
        return mm_load_missing(load, "model_excess",
                               "more than %d calls: they are not compared with models",
                               MOST_ROWS);
    result = fit_and_compare(&m);
    done(&m);
    return result == -ENOMEM ? cca_no_memory(load->err) : result;
}
