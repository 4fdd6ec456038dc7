/* SPDX-License-Identifier: BSD-3-Clause */
/* made_runs.h: runs of made-up programs, in memory: rows whose costs and counts are known
 * functions, so that a forecast has a truth without a clock.
 *
 * A program is a function that calls made_call, made_work and made_return. It runs twice:
 * with rows, to learn from, and without, to add up what it costs. */
#ifndef TESTS_FORECAST_MADE_RUNS_H
#define TESTS_FORECAST_MADE_RUNS_H

#include "mastermind/forecast/forecast.h"
#include "tests/lib/mm_rows.h"

#define MADE_RUNS 120
#define MADE_DEPTH 64
#define MADE_WORDS 64

struct made_frame {
    size_t method;
    uint64_t number;
    int64_t start_ns;
    double own_ns, wall_ns;
    double values[ROWS_VALUES];
};

struct made_run {
    char name[24];
    struct rows rows;
    int silent; /* no rows: total_ns alone is wanted */
    int rank;
    uint64_t number;
    int64_t now_ns;
    struct made_frame stack[MADE_DEPTH];
    int depth;
    double total_ns; /* sum of what all calls cost */
    double factor;   /* of all costs of the run */
    struct mm_run parameters;
    struct mm_run_value words[3 * MADE_WORDS];
    char text[3 * MADE_WORDS][32];
    size_t word_count;
    struct mm_row_source source;
    struct mm_profile *profile;
};

/* Runs, and what is learnt from them. */
struct made {
    struct made_run *runs[MADE_RUNS];
    size_t count;
    struct mm_profile *profiles[MADE_RUNS];
    struct mm_forecast_run given[MADE_RUNS];
    struct mm_library *library;
    struct mm_forecaster *forecaster;
};

/* --- A program runs ---------------------------------------------------------------- */

/* Begin a call; `values` as its method has in-values. */
static inline void made_call(struct made_run *r, size_t method, const double *values)
{
    struct made_frame *frame = &r->stack[r->depth++];

    assert(r->depth < MADE_DEPTH);
    *frame = (struct made_frame){
        .method = method, .number = ++r->number, .start_ns = r->now_ns};
    if (values)
        memcpy(frame->values, values, r->rows.methods[method].in_count * sizeof *values);
}

static inline void made_work(struct made_run *r, double own_ns)
{
    r->stack[r->depth - 1].own_ns += own_ns * r->factor;
}

static inline void made_return(struct made_run *r)
{
    struct made_frame *frame = &r->stack[--r->depth];
    const struct mm_method_info *m = &r->rows.methods[frame->method];
    struct mm_row *row;

    r->total_ns += frame->own_ns;
    frame->own_ns = nearbyint(frame->own_ns); /* rows have whole numbers, which add up */
    frame->wall_ns += frame->own_ns;
    if (r->depth)
        r->stack[r->depth - 1].wall_ns += frame->wall_ns;
    r->now_ns += llround(frame->own_ns);
    if (r->silent)
        return;
    row = rows_add(&r->rows, m);
    row->rank = r->rank;
    row->invocation = frame->number;
    row->caller = r->depth ? r->stack[r->depth - 1].number : 0;
    row->start_ns = frame->start_ns;
    row->wall_ns = llround(frame->wall_ns);
    row->exclusive_ns = llround(frame->own_ns);
    row->lost_ns = row->lost_exclusive_ns = 0;
    for (size_t i = 0; i < m->in_count; i++) {
        union monitor_value *value = &r->rows.row_values[r->rows.count - 1][i];

        if (m->values[i].type == MONITOR_DOUBLE)
            value->d = frame->values[i];
        else
            value->i = llround(frame->values[i]);
    }
}

/* A call that calls no other. */
static inline void made_leaf(struct made_run *r, size_t method, double own_ns,
                             const double *values)
{
    made_call(r, method, values);
    made_work(r, own_ns);
    made_return(r);
}

/* What follows is of another rank. */
static inline void made_rank(struct made_run *r, int rank)
{
    r->rank = rank;
    r->number = 0;
    r->now_ns = 0;
}

/* --- Runs -------------------------------------------------------------------------- */

static inline void made_add_word(struct made_run *r, struct mm_run_values *to,
                                 const char *name, const char *text)
{
    size_t at = r->word_count++;

    assert(at < 3 * MADE_WORDS);
    snprintf(r->text[at], sizeof r->text[at], "%s", text);
    if (!to->items)
        to->items = &r->words[at];
    assert(&to->items[to->count] == &r->words[at]);
    r->words[at] = (struct mm_run_value){name, r->text[at]};
    to->count++;
}

/* A run without rows yet, of `ranks`; all variables are added before classes. */
static inline struct made_run *made_run_new(int ranks)
{
    struct made_run *r = calloc(1, sizeof *r);

    assert(r);
    r->factor = 1;
    r->parameters.ranks = ranks;
    r->parameters.is_known = 1;
    return r;
}

static inline void made_variable(struct made_run *r, const char *name, double value)
{
    char text[24];

    snprintf(text, sizeof text, "%.17g", value);
    made_add_word(r, &r->parameters.variables, name, text);
}

static inline void made_class(struct made_run *r, const char *name, const char *text)
{
    made_add_word(r, &r->parameters.classes, name, text);
}

static inline void made_run_free(struct made_run *r)
{
    mm_profile_free(r->profile);
    rows_done(&r->rows);
    free(r);
}

/* Give a run that is done to what is learnt from. */
static inline void made_add(struct made *made, struct made_run *r)
{
    struct cca_error err = {0};

    assert(made->count < MADE_RUNS && !r->depth);
    snprintf(r->name, sizeof r->name, "run-%03zu", made->count + 1);
    r->source = rows_source(&r->rows, r->name);
    r->profile = mm_profile_new(&r->source, NULL, &err);
    assert_non_null(r->profile);
    made->given[made->count] = (struct mm_forecast_run){.name = r->name,
                                                        .run = &r->parameters,
                                                        .profile = r->profile,
                                                        .total_ns = NAN,
                                                        .transfer_ns = NAN,
                                                        .waiting_ns = NAN};
    made->profiles[made->count] = r->profile;
    made->runs[made->count++] = r;
}

static inline void made_learn(struct made *made)
{
    struct cca_error err = {0};

    made->library = mm_library_new(made->profiles, made->count, &err);
    assert_non_null(made->library);
    made->forecaster = mm_forecaster_new(made->given, made->count, made->library, &err);
    if (!made->forecaster)
        print_error("%s\n", err.text);
    assert_non_null(made->forecaster);
}

static inline void made_done(struct made *made)
{
    mm_forecaster_free(made->forecaster);
    mm_library_free(made->library);
    for (size_t i = 0; i < made->count; i++)
        made_run_free(made->runs[i]);
    *made = (struct made){0};
}

/* --- Questions --------------------------------------------------------------------- */

/* Forecast a run with the parameters of `like`; NULL with `err`. */
static inline struct mm_forecast *made_ask(struct made *made, const struct made_run *like,
                                           struct cca_error *err)
{
    const struct mm_axes *axes = mm_forecaster_axes(made->forecaster);
    const char **text = calloc(axes->count + 1, sizeof *text);
    struct mm_forecast *forecast;
    char ranks[16];

    assert(text);
    snprintf(ranks, sizeof ranks, "%d", like->parameters.ranks);
    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];

        text[i] = axis->kind == MM_AXIS_VARIABLE
                      ? mm_run_value(&like->parameters.variables, axis->name)
                  : axis->kind == MM_AXIS_CLASS
                      ? mm_run_value(&like->parameters.classes, axis->name)
                  : axis->kind == MM_AXIS_PARAMETER
                      ? mm_run_value(&like->parameters.set, axis->name)
                      : ranks;
    }
    forecast = mm_forecast_new(made->forecaster, text, err);
    free(text);
    return forecast;
}

/* Print why a forecast is not what it should be. */
static inline void made_print(struct made *made, const struct mm_forecast *f)
{
    const struct mm_cells *cells = &mm_forecaster_structure(made->forecaster)->cells;

    print_message("total %.12g (%g to %g) %s\n", f->total_ns, f->low_ns, f->high_ns,
                  f->why ? f->why : "");
    for (size_t i = 0; i < f->doubt_count; i++)
        print_message("  doubt %s %g\n", f->doubts[i].name, f->doubts[i].half);
    for (size_t i = 0; i < f->part_count; i++) {
        const struct mm_forecast_part *part = &f->parts[i];

        print_message("  %s (%s) %g calls, %.12g %s\n",
                      cells->vertices[part->vertex].name, part->class_name, part->calls,
                      part->cost_ns, part->why);
        for (size_t k = 0; k < part->cell_count; k++) {
            const struct mm_forecast_cell *cell = &part->cells[k];

            print_message(
                "    by %s, level %d: calls %.12g (%s; %s) r - 1 = %g cost %.12g\n",
                cells->vertices[cells->items[cell->cell].caller].name,
                cells->items[cell->cell].level, cell->calls.number.value, cell->calls.law,
                cell->calls.why, cell->ratio - 1, cell->cost_ns);
            for (size_t s = 0; s < cell->sum_count; s++)
                print_message("      %.12g * %.12g own %g (%s)\n",
                              cell->model ? cell->model->forms.form[0].a[s] : 1,
                              cell->sums[s].number.value, cell->sums[s].own,
                              cell->sums[s].law);
        }
    }
}

/* Sum of the calls that are predicted of "instance.p.method"; NaN: there is no such part.
 */
static inline double made_calls(struct made *made, const struct mm_forecast *f,
                                const char *name)
{
    const struct mm_cells *cells = &mm_forecaster_structure(made->forecaster)->cells;

    for (size_t i = 0; i < f->part_count; i++)
        if (strcmp(cells->vertices[f->parts[i].vertex].name, name) == 0)
            return f->parts[i].calls;
    return NAN;
}

#endif
