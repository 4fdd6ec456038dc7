/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.c: cost of calls with given parameters, and its uncertainty. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "activity/cost/core.h"
#include "common/array.h"

const char *act_cost_fault(void *context)
{
    return ((struct act_cost *)context)->fault;
}

/* --- One answer ------------------------------------------------------------------- */

/* A value for an in-value that a model("...") leaves out; no performance model depends on
 * it. */
static double usual(const struct act_bound *bound, const struct mm_model *model, size_t k)
{
    if (bound->set->method->values[k].kind == MONITOR_MODE)
        return (double)bound->set->models[0].modes[k].i;
    return model ? model->low[k] : 0;
}

/* Set the in-values of a call, in the order in which the method of bound->set has them.
 * `model` may be NULL if only the modes (in-values that select behaviour) are needed. */
static void set_values(const struct act_bound *bound, const struct mm_model *model,
                       const double *values, union monitor_value *in)
{
    const struct mm_method_info *method = bound->set->method;

    for (size_t k = 0; k < method->in_count; k++) {
        double value = bound->at[k] >= 0 ? values[bound->at[k]] : usual(bound, model, k);

        if (method->values[k].type == MONITOR_DOUBLE)
            in[k].d = value;
        else
            in[k].i = fabs(value) < 9e18 ? llround(value) : INT64_MAX;
    }
}

static const struct mm_model *find_model(const struct mm_model_set *set,
                                         const union monitor_value *in)
{
    for (size_t i = 0; i < set->model_count; i++)
        if (mm_same_modes(set->method, set->models[i].modes, in))
            return &set->models[i];
    return NULL;
}

static int refuse_mode(struct act_cost *cost, const struct act_bound *bound,
                       const union monitor_value *in)
{
    char asked[100], one[80], known[160] = "";
    size_t used = 0;

    mm_mode_print(bound->set->method, in, asked, sizeof asked);
    for (size_t i = 0; i < bound->set->model_count && used < sizeof known; i++) {
        mm_mode_print(bound->set->method, bound->set->models[i].modes, one, sizeof one);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? "; " : "",
                                 one);
    }
    snprintf(cost->fault, sizeof cost->fault, "no model of %.80s for %s (measured: %s)",
             bound->call->method, asked, known);
    return -1;
}

static int refuse_size(struct act_cost *cost, const struct act_bound *bound,
                       const struct mm_model *model, const union monitor_value *in)
{
    const struct mm_method_info *method = bound->set->method;
    char text[160] = "";
    size_t used = 0;

    for (size_t k = 0; k < method->in_count && used < sizeof text; k++) {
        const struct mm_value_info *v = &method->values[k];

        if (v->kind == MONITOR_PARAM)
            used += (size_t)snprintf(
                text + used, sizeof text - used, "%s%.30s = %g, measured from %g to %g",
                used ? "; " : "", v->name,
                v->type == MONITOR_DOUBLE ? in[k].d : (double)in[k].i, model->low[k],
                model->high[k]);
    }
    snprintf(cost->fault, sizeof cost->fault,
             "a size that %.80s was not measured near (%s)", bound->call->method, text);
    return -1;
}

/* Index of a performance model among the models used so far, to which it is added if new;
 * or -ENOMEM. */
static int note_asked(struct act_cost *cost, const struct mm_model_set *set,
                      const struct mm_model *model)
{
    struct act_asked *asked;

    for (size_t i = 0; i < cost->asked_count; i++)
        if (cost->asked[i].model == model)
            return (int)i;
    asked = cca_array_add(&cost->asked, &cost->asked_count, sizeof *asked);
    if (!asked)
        return -ENOMEM;
    asked->model = model;
    asked->set = set;
    return (int)cost->asked_count - 1;
}

static int answer(struct act_cost *cost, const struct act_bound *bound,
                  const double *values, struct act_answer *a)
{
    union monitor_value in[MONITOR_MAX_IN] = {0};
    const struct mm_model *model;
    struct act_asked *asked;
    struct mm_estimate e;

    set_values(bound, NULL, values, in);
    model = find_model(bound->set, in);
    if (!model)
        return refuse_mode(cost, bound, in);
    set_values(bound, model, values, in);
    if (!mm_model_knows(model, in))
        return refuse_size(cost, bound, model, in);
    mm_model_estimate(model, in, &e);
    if (!isfinite(e.mean)) {
        snprintf(cost->fault, sizeof cost->fault,
                 "a cost of %.80s that its model does not know", bound->call->method);
        return -1;
    }
    a->asked = note_asked(cost, bound->set, model);
    if (a->asked < 0) {
        snprintf(cost->fault, sizeof cost->fault, "no memory for more models");
        return -1;
    }
    asked = &cost->asked[a->asked];
    asked->flags |= e.flags;
    asked->unsure |= !isfinite(e.mean_half);
    if (e.beyond > asked->beyond) {
        double x[MONITOR_MAX_IN];

        mm_model_tuple(model, in, x);
        asked->beyond = e.beyond;
        asked->parameter = e.parameter;
        asked->value = e.parameter < MONITOR_MAX_IN ? x[e.parameter] : NAN;
    }
    a->mean_s = 1e-9 * e.mean;
    a->half_s = isfinite(e.mean_half) ? 1e-9 * e.mean_half : 0;
    return 0;
}

/* --- Cache of answers ------------------------------------------------------------ */

static size_t place_of(int number, const double *values, int count)
{
    uint64_t h = 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);

    for (int i = 0; i < count; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 33;
    }
    return (size_t)(h & (ACT_ANSWERS - 1));
}

double act_cost_seconds(void *context, int number, const double *values)
{
    struct act_cost *cost = context;
    const struct act_bound *bound = &cost->bound[number];
    size_t size = (size_t)bound->call->count * sizeof *values;
    struct act_answer *a = &cost->answers[place_of(number, values, bound->call->count)];

    if (a->number != number || (size && memcmp(a->values, values, size) != 0)) {
        a->number = -1;
        if (answer(cost, bound, values, a))
            return NAN;
        if (size)
            memcpy(a->values, values, size);
        a->number = number;
    }
    return fmax(a->mean_s + cost->asked[a->asked].way * a->half_s, 0);
}

/* --- Uncertainty ------------------------------------------------------------------ */

int act_cost_asked(const struct act_cost *cost)
{
    return (int)cost->asked_count;
}

void act_cost_move(struct act_cost *cost, int i, double way)
{
    for (size_t k = 0; k < cost->asked_count; k++)
        cost->asked[k].way = 0;
    if (i >= 0 && (size_t)i < cost->asked_count)
        cost->asked[i].way = way;
}

static void name_model(const struct act_asked *asked, char *text, size_t size)
{
    char mode[100];

    mm_mode_print(asked->set->method, asked->model->modes, mode, sizeof mode);
    snprintf(text, size, "%.60s %.60s%s%s", asked->set->method->class_name,
             asked->set->method->name, *mode ? ", " : "", mode);
}

const char *act_cost_unsure(const struct act_cost *cost)
{
    static _Thread_local char text[320];
    char name[240];

    for (size_t i = 0; i < cost->asked_count; i++) {
        if (!cost->asked[i].unsure)
            continue;
        name_model(&cost->asked[i], name, sizeof name);
        snprintf(text, sizeof text, "the error of the model of %s is not known", name);
        return text;
    }
    return NULL;
}

static void print_beyond(const struct act_asked *asked)
{
    size_t k = asked->parameter;
    char name[240];

    if (!(asked->beyond > 1) || k >= asked->set->method->in_count)
        return;
    name_model(asked, name, sizeof name);
    fprintf(stderr,
            "activity: note: %s: %s = %g is extrapolated, %.3g times beyond the sizes "
            "measured, %g to %g\n",
            name, asked->set->method->values[k].name, asked->value, asked->beyond,
            asked->model->low[k], asked->model->high[k]);
}

void act_cost_print_notes(const struct act_cost *cost)
{
    static const struct {
        unsigned flag;
        const char *text;
    } reasons[] = {
        {MM_RIVALS, "two forms that fit alike differ by more than 2 there"},
        {MM_LACKING, "calls lack a parameter: the mean of such calls"},
        {MM_POOR, "its parameters explain little of the cost"},
        {MM_SINGLE, "it was called once"},
        {MM_FEW_SIZES, "it was measured at too few sizes to show how its cost grows"},
        {MM_CATEGORY, "the effect of a parameter has no order: make it a mode"},
    };
    size_t one_run = 0;
    char name[240];

    for (size_t i = 0; i < cost->notes.count; i++)
        fprintf(stderr, "activity: note: %s\n", cost->notes.items[i]);
    for (size_t i = 0; i < cost->asked_count; i++) {
        print_beyond(&cost->asked[i]);
        one_run += (cost->asked[i].flags & MM_ONE_RUN) != 0;
        for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++) {
            if (!(cost->asked[i].flags & reasons[k].flag))
                continue;
            name_model(&cost->asked[i], name, sizeof name);
            fprintf(stderr, "activity: note: %s: %s\n", name, reasons[k].text);
        }
    }
    if (one_run)
        fprintf(stderr,
                "activity: note: %zu of %zu models are of one run: how runs "
                "differ is not in the interval\n",
                one_run, cost->asked_count);
}
