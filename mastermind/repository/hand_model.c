/* SPDX-License-Identifier: BSD-3-Clause */
/* hand_model.c: read a model that a person has written. */
#include "mastermind/repository/hand_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mastermind/cost/cost.h"
#include "common/statistics.h"

#define STATED_CALLS 1000000
#define STATED_SIZES 1000

static const char *const members[] = {"schema",  "class",    "port_type", "method",
                                      "formula", "range",    "interval",  "modes",
                                      "metric",  "build_id", "machine",   "note"};
enum { MEMBERS = sizeof members / sizeof *members, NEEDED = 7 };

static int check_members(const struct mm_text_file *file, struct cca_error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(file->json, key, value)
    {
        size_t i = 0;
        char hint[128];

        while (i < MEMBERS && strcmp(members[i], key) != 0)
            i++;
        if (i == MEMBERS)
            return mm_text_file_refuse(
                file, key, err, "found a member '%.60s'%s", key,
                cca_nearest_hint(cca_nearest(key, members, MEMBERS), hint, sizeof hint));
    }
    for (size_t i = 0; i < NEEDED; i++)
        if (!json_object_get(file->json, members[i]))
            return mm_text_file_refuse(file, "schema", err, "found no '%s'", members[i]);
    return 0;
}

/* Copy the string member `key`; if it is absent, copy `otherwise`. */
static int take_text(const struct mm_text_file *file, const char *key,
                     const char *otherwise, const char **to, struct cca_error *err)
{
    const json_t *json = json_object_get(file->json, key);
    const char *text = json ? json_string_value(json) : otherwise;

    if (!text || (json && !*text))
        return mm_text_file_refuse(file, key, err,
                                   "found no good '%s', expected a string", key);
    *to = strdup(text);
    return *to ? 0 : cca_no_memory(err);
}

static int read_key(struct mm_stored_model *stored, const struct mm_text_file *file,
                    struct cca_error *err)
{
    struct mm_method_info *m = stored->model.method;
    const char *schema = json_string_value(json_object_get(file->json, "schema"));
    int result;

    if (!schema || strcmp(schema, MM_MODEL_SCHEMA) != 0)
        return mm_text_file_refuse(file, "schema", err,
                                   "found schema '%.60s', expected '%s'",
                                   schema ? schema : "", MM_MODEL_SCHEMA);
    result = take_text(file, "class", NULL, &m->class_name, err);
    if (!result)
        result = take_text(file, "port_type", NULL, &m->port_type, err);
    if (!result)
        result = take_text(file, "method", NULL, &m->method, err);
    if (!result)
        result = take_text(file, "method", NULL, (const char **)&m->name, err);
    if (!result)
        result = take_text(file, "build_id", "", &m->build_id, err);
    if (!result)
        result = take_text(file, "metric", "TIME", (const char **)&stored->metric, err);
    if (result)
        return result;
    m->instance = strdup("");
    m->port = strdup("");
    return m->instance && m->port ? 0 : cca_no_memory(err);
}

static struct mm_value_info *add_value(struct mm_method_info *method, const char *name,
                                       enum monitor_kind kind)
{
    struct mm_value_info *value = &method->values[method->value_count];

    value->name = strdup(name);
    if (!value->name)
        return NULL;
    value->kind = kind;
    value->type = kind == MONITOR_MODE ? MONITOR_INT64 : MONITOR_DOUBLE;
    method->in_count = ++method->value_count;
    return value;
}

/* Read the values of a model: modes first, then the parameters that have a range. */
static int read_values(struct mm_model *model, const struct mm_text_file *file,
                       struct cca_error *err)
{
    json_t *modes = json_object_get(file->json, "modes"), *value;
    json_t *ranges = json_object_get(file->json, "range");
    struct mm_method_info *method = model->method;
    const char *key;

    if (modes && !json_is_object(modes))
        return mm_text_file_refuse(file, "modes", err,
                                   "found no object 'modes', expected {\"NAME\": 0}");
    if (!json_is_object(ranges))
        return mm_text_file_refuse(
            file, "range", err, "found no object 'range', expected {\"NAME\": [1, 2]}");
    if (json_object_size(modes) + json_object_size(ranges) > MONITOR_MAX_IN)
        return mm_text_file_refuse(file, "range", err,
                                   "found more than %d modes and parameters",
                                   MONITOR_MAX_IN);
    method->values = calloc(MONITOR_MAX_IN + 1, sizeof *method->values);
    if (!method->values)
        return cca_no_memory(err);
    json_object_foreach(modes, key, value)
    {
        if (!json_is_integer(value))
            return mm_text_file_refuse(file, key, err,
                                       "found no integer for mode '%.60s'", key);
        model->modes[method->in_count].i = json_integer_value(value);
        if (!add_value(method, key, MONITOR_MODE))
            return cca_no_memory(err);
    }
    json_object_foreach(ranges, key, value)
    {
        size_t k = method->in_count;

        model->low[k] = json_number_value(json_array_get(value, 0));
        model->high[k] = json_number_value(json_array_get(value, 1));
        if (json_array_size(value) != 2 || !json_is_number(json_array_get(value, 0)) ||
            !json_is_number(json_array_get(value, 1)) ||
            !(model->low[k] <= model->high[k]))
            return mm_text_file_refuse(file, key, err,
                                       "found no range of '%.60s', expected two "
                                       "ascending numbers",
                                       key);
        if (modes && json_object_get(modes, key))
            return mm_text_file_refuse(file, key, err,
                                       "found '%.60s' as mode and parameter", key);
        if (!add_value(method, key, MONITOR_PARAM))
            return cca_no_memory(err);
    }
    return 0;
}

/* Check that the formula is positive at both ends and in the middle of its range. The
 * least of these three values becomes the least prediction of the model. */
static int check_range(struct mm_model *model, const struct mm_text_file *file,
                       struct cca_error *err)
{
    model->least_ns = INFINITY;
    for (int end = 0; end < 3; end++) {
        double x[MONITOR_MAX_IN] = {0}, cost;

        for (size_t k = 0; k < model->method->in_count; k++)
            x[k] = end == 0   ? model->low[k]
                   : end == 1 ? model->high[k]
                              : model->low[k] / 2 + model->high[k] / 2;
        cost = mm_form_value(&model->forms.form[0], x);
        if (!isfinite(cost) || cost < 0 || (cost == 0 && !model->counts))
            return mm_text_file_refuse(
                file, "formula", err,
                "found a formula that is %g ns at the %s of its range, expected a cost",
                cost,
                end == 0   ? "low end"
                : end == 1 ? "high end"
                           : "middle");
        model->least_ns = fmin(model->least_ns, cost);
    }
    return 0;
}

/* Set the uncertainty of a model for which only the interval of single calls is given.
 * Half of its variance is attributed to the curve, as a relative error that is constant
 * in the range and grows beyond it, and half to the scatter of calls. */
static void set_widths(struct mm_model *model, double interval)
{
    struct mm_form *form = &model->forms.form[0];
    struct mm_distances none = {0};
    double half = interval / sqrt(2), sd = half / CCA_NORMAL_95;

    for (size_t i = 0; i < form->count; i++)
        for (size_t k = 0; k < form->count; k++)
            form->cov[i][k] = form->a[i] * form->a[k] * sd * sd;
    for (size_t k = 0; k < MONITOR_MAX_IN; k++)
        model->exponent_error[k] = interval;
    model->quantiles = mm_quantiles_fit(&none, 0);
    model->populations.scale = 1;
    model->populations.spread = (struct mm_spread){.known = 1, .factor = 1, .power = 1};
    model->populations.spread.factor =
        half /
        (mm_quantiles_at(&model->quantiles, &model->populations, 1, NULL, .975) - 1);
    /* the curve was stated by a person, so it must not count as a fit to few calls of one
     * run */
    model->n = STATED_CALLS;
    model->sizes = STATED_SIZES;
    model->runs = (struct mm_run_spread){.runs = 2};
}

static int read_formula(struct mm_stored_model *stored, const struct mm_text_file *file,
                        struct cca_error *err)
{
    struct mm_model *model = &stored->model;
    const char *text = json_string_value(json_object_get(file->json, "formula"));
    const json_t *interval = json_object_get(file->json, "interval");
    struct cca_error inner = {0};

    if (!text)
        return mm_text_file_refuse(file, "formula", err,
                                   "found no good 'formula', expected a string");
    if (!json_is_number(interval) || !(json_number_value(interval) > 0))
        return mm_text_file_refuse(file, "interval", err,
                                   "found no good 'interval', expected a number above 0: "
                                   "19 of 20 calls are so near the formula, relatively");
    if (mm_formula_read(text, model->method, model->counts, &model->forms.form[0],
                        &inner) < 0)
        return mm_text_file_refuse(file, "formula", err, "%s", inner.text);
    model->forms.count = 1;
    set_widths(model, json_number_value(interval));
    return check_range(model, file, err);
}

int mm_hand_model_read(struct mm_stored_model *stored, const struct mm_text_file *file,
                       struct cca_error *err)
{
    struct mm_model *model = &stored->model;
    struct cca_error inner = {0};
    int result = check_members(file, err);

    if (result)
        return result;
    model->method = calloc(1, sizeof *model->method);
    if (!model->method)
        return cca_no_memory(err);
    stored->by_hand = 1;
    model->lacking_ns = NAN;
    result = read_key(stored, file, err);
    if (result)
        return result;
    model->counts = strcmp(stored->metric, "TIME") != 0 &&
                    strcmp(stored->metric, "CPU_TIME") != 0 &&
                    strcmp(stored->metric, "MPI_TIME") != 0 &&
                    strcmp(stored->metric, "COMPUTE_TIME") != 0;
    if (mm_machine_read(&stored->machine, json_object_get(file->json, "machine"), &inner))
        return mm_text_file_refuse(file, "machine", err, "%s", inner.text);
    result = read_values(model, file, err);
    return result ? result : read_formula(stored, file, err);
}
