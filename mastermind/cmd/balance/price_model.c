/* SPDX-License-Identifier: BSD-3-Clause */
/* price_model.c: a cost model of redistribution, fitted to the redistributions of a run.
 *
 *   rows with cells moved ──▶ redistributions ──▶ points ──▶ mm_model ──▶ price
 *
 * A redistribution consists of the k-th row of a method in each rank; its size is the sum
 * of the cells that the ranks received. All ranks take part, and early ranks wait for the
 * last one, so its time is counted from the last begin to the last end. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/cost/cost.h"
#include "mastermind/cmd/balance/balance_verb.h"
#include "mastermind/reader/experiment.h"

struct redistribution {
    const struct mm_method_info *method;
    uint64_t number; /* number of the row among the method's rows in a thread */
    int64_t moved;
    int64_t begin_ns, end_ns; /* latest begin and latest end among all ranks */
    double least_ns, most_ns; /* time of the shortest and of the longest row of a rank */
};

/* Time from the last begin to the last end. The clocks of ranks may differ, so the result
 * is limited to the range of the ranks' own times. */
static double time_of(const struct redistribution *r)
{
    return fmin(r->most_ns, fmax(r->least_ns, (double)(r->end_ns - r->begin_ns)));
}

struct balance_model {
    struct mm_model model;
    char formula[200];
    size_t count;        /* number of redistributions */
    int64_t least, most; /* fewest and most cells moved by one redistribution */
    double unit;         /* number of units of the probe's weights per nanosecond */
};

struct walk {
    struct redistribution *all;
    size_t count;
    /* Number of rows of each method read so far in the current thread. */
    const struct mm_method_info *method[64];
    uint64_t seen[64];
    size_t methods;
    int rank, thread;
};

int balance_price_is_model(const char *text)
{
    return strncmp(text, "model", 5) == 0 && (!text[5] || text[5] == ':');
}

/* Index of the value with the number of cells moved, or -1. */
static int find_moved(const struct mm_method_info *method)
{
    for (size_t i = 0; i < method->value_count; i++)
        if (method->values[i].type == MONITOR_INT64 &&
            method->values[i].kind != MONITOR_MODE &&
            (strcmp(method->values[i].name, "moved") == 0 ||
             strcmp(method->values[i].name, "cells_moved") == 0))
            return (int)i;
    return -1;
}

/* Count the rows of this row's method that came before it in its thread. UINT64_MAX:
 * there are more methods than `walk` has room for. */
static uint64_t count_row(struct walk *w, const struct mm_row *row)
{
    size_t i = 0;

    if (row->rank != w->rank || row->thread != w->thread)
        w->methods = 0;
    w->rank = row->rank;
    w->thread = row->thread;
    while (i < w->methods && w->method[i] != row->method)
        i++;
    if (i == sizeof w->seen / sizeof *w->seen)
        return UINT64_MAX;
    if (i == w->methods) {
        w->method[w->methods++] = row->method;
        w->seen[i] = 0;
    }
    return w->seen[i]++;
}

static int take_row(const struct mm_row *row, void *context)
{
    struct walk *w = context;
    int at = row->status == MM_ROW_DONE ? find_moved(row->method) : -1;
    uint64_t number = at < 0 ? UINT64_MAX : count_row(w, row);
    struct redistribution *r;

    if (number == UINT64_MAX || monitor_value_absent(row->values[at], MONITOR_INT64))
        return 0;
    r = cca_array_add(&w->all, &w->count, sizeof *w->all);
    if (!r)
        return -ENOMEM;
    *r = (struct redistribution){.method = row->method,
                                 .number = number,
                                 .moved = row->values[at].i > 0 ? row->values[at].i : 0,
                                 .begin_ns = row->start_ns,
                                 .end_ns = row->start_ns + row->wall_ns};
    r->least_ns = r->most_ns = (double)row->wall_ns + row->wall_part_ns;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct redistribution *x = a, *y = b;

    if (x->method->index != y->method->index)
        return x->method->index < y->method->index ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void join(struct redistribution *r, const struct redistribution *other)
{
    r->moved += other->moved;
    r->begin_ns = r->begin_ns > other->begin_ns ? r->begin_ns : other->begin_ns;
    r->end_ns = r->end_ns > other->end_ns ? r->end_ns : other->end_ns;
    r->least_ns = fmin(r->least_ns, other->least_ns);
    r->most_ns = fmax(r->most_ns, other->most_ns);
}

/* Merge the rows of all ranks that belong to one redistribution. */
static void join_ranks(struct walk *w)
{
    size_t kept = 0;

    if (w->count)
        qsort(w->all, w->count, sizeof *w->all, compare);
    for (size_t i = 0; i < w->count; i++) {
        struct redistribution *last = kept ? &w->all[kept - 1] : NULL;

        if (last && compare(last, &w->all[i]) == 0) {
            join(last, &w->all[i]);
        } else {
            w->all[kept++] = w->all[i];
        }
    }
    w->count = kept;
}

/* Fit time by cells moved. Returns 0, -ENODATA where nothing moved, or another errno. */
static int fit(struct balance_model *model, const struct walk *w, struct cca_error *err)
{
    static char name[] = "cells", method_name[] = "redistribution";
    struct mm_value_info value = {
        .name = name, .type = MONITOR_INT64, .kind = MONITOR_PARAM};
    struct mm_method_info method = {.instance = "mesh",
                                    .port = "mesh",
                                    .method = method_name,
                                    .class_name = "Mesh",
                                    .build_id = "",
                                    .port_type = "",
                                    .name = method_name,
                                    .values = &value,
                                    .value_count = 1,
                                    .in_count = 1};
    union monitor_value no_modes[MONITOR_MAX_IN] = {{0}};
    struct mm_points points;
    int rc = 0;

    mm_points_init(&points, &method);
    for (size_t i = 0; i < w->count && !rc; i++) {
        union monitor_value in = {.i = w->all[i].moved};

        if (in.i == 0) /* the Balancer was called and changed nothing */
            continue;
        model->least = !model->count || in.i < model->least ? in.i : model->least;
        model->most = in.i > model->most ? in.i : model->most;
        model->count++;
        rc = mm_points_add(&points, &in, 1, time_of(&w->all[i]));
    }
    if (!rc)
        rc = model->count ? mm_model_fit(&model->model, &points, no_modes, NULL, err)
                          : -ENODATA;
    mm_points_done(&points);
    if (!rc)
        mm_model_print(&model->model, model->formula, sizeof model->formula);
    return rc == -ENOMEM ? cca_no_memory(err) : rc;
}

/* Nanoseconds in a unit of time; 0: the unit is not one of time. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].ns;
    return 0;
}

static double sum_of(const struct balance_trace *trace, int probe)
{
    double sum = 0;

    for (size_t i = trace->first; i < trace->end; i++) {
        const struct mesh_step *step = mesh_profile_step(trace->profile, i);

        for (size_t b = step->first_block; b < step->first_block + step->blocks; b++)
            if (mesh_profile_block(trace->profile, b)->probe == probe)
                sum += mesh_profile_block(trace->profile, b)->sum;
    }
    return sum;
}

/* Units of the probe per nanosecond: by definition if the probe measures time, else by
 * the ratio to a probe of time over the same steps. 0: unknown. */
static double find_unit(const struct balance_trace *trace)
{
    double ns = unit_ns(mesh_profile_probe(trace->profile, trace->probe)->unit);

    if (ns > 0)
        return 1 / ns;
    for (int p = 0; p < mesh_profile_probes(trace->profile); p++) {
        ns = unit_ns(mesh_profile_probe(trace->profile, p)->unit);
        if (ns > 0 && sum_of(trace, p) > 0)
            return sum_of(trace, trace->probe) / (sum_of(trace, p) * ns);
    }
    return 0;
}

static int make(struct balance_model *model, const char *path, struct cca_error *err)
{
    struct mm_experiment *experiment = mm_experiment_open(path, err);
    struct walk w = {.rank = -1};
    int rc = experiment ? mm_experiment_rows(experiment, take_row, &w, err) : err->code;

    join_ranks(&w);
    if (!rc)
        rc = fit(model, &w, err);
    if (rc == -ENOMEM)
        cca_no_memory(err);
    free(w.all);
    mm_experiment_free(experiment);
    return rc;
}

int balance_model_new(struct balance_verb *verb)
{
    const char *text = verb->repartition_text;
    const char *path = text[5] ? text + 6 : verb->trace.experiment;
    struct balance_model *model = calloc(1, sizeof *model);
    struct cca_error err = {0};
    int rc;

    if (!model)
        return mm_no_memory();
    verb->price_model = model;
    model->unit = find_unit(&verb->trace);
    if (!(model->unit > 0))
        return mm_refuse(
            MM_EXIT_INPUT,
            "%s: %s is no time, and no other probe is: found no conversion of --price "
            "model to its unit, expected --price in it",
            mesh_profile_path(verb->trace.profile),
            mesh_profile_probe(verb->trace.profile, verb->trace.probe)->name);
    rc = make(model, path, &err);
    if (rc == -ENODATA)
        return mm_refuse(MM_EXIT_INPUT,
                         "%s: found no redistribution for --price model, expected rows "
                         "of a method with a value moved or cells_moved",
                         mm_safe(path));
    return rc ? mm_complain(&err) : -1;
}

void balance_model_free(struct balance_model *model)
{
    if (!model)
        return;
    mm_model_done(&model->model);
    free(model);
}

static double price_of(void *context, const struct mesh_price *price, int64_t s,
                       int64_t t, int64_t moved)
{
    const struct balance_model *model = context;
    union monitor_value in = {.i = moved};
    double ns = mm_model_mean_ns(&model->model, &in);

    (void)s;
    (void)t;
    return ns > 0 ? ns * model->unit * price->repartition : 0;
}

void balance_model_price(struct balance_model *model, double factor,
                         struct mesh_price *price)
{
    *price = (struct mesh_price){
        .repartition = factor, .function = price_of, .context = model};
}

void balance_model_print(const struct balance_verb *verb)
{
    const struct balance_model *model = verb->price_model;
    const char *unit = mesh_profile_probe(verb->trace.profile, verb->trace.probe)->unit;

    printf("repartition, by %s that moved %s",
           mm_counted((uint64_t)model->count, "redistribution"),
           mm_thousands((uint64_t)model->least));
    if (model->most > model->least)
        printf(" to %s", mm_thousands((uint64_t)model->most));
    printf(" cells: %s\n", model->formula);
    if (unit_ns(unit) <= 0)
        printf("a millisecond is %s of %s in these steps\n", mm_amount(1e6 * model->unit),
               mesh_profile_probe(verb->trace.profile, verb->trace.probe)->name);
}

void balance_model_json(const struct balance_model *model, json_t *json)
{
    mm_json_set(json, "price_by price_formula redistributions units_per_ns", "model",
                model->formula, (json_int_t)model->count, model->unit);
}
