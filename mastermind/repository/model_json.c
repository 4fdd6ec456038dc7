/* SPDX-License-Identifier: BSD-3-Clause */
/* model_json.c: write a fitted model to a file, and read it. */
#include "mastermind/repository/model_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/cost.h"
#include "mastermind/repository/hand_model.h"
#include "mastermind/repository/model_fields.h"
#include "mastermind/writer/json_file.h"

static const char *const kinds[] = {"parameter", "mode", "out", "hint"};
static const char *const types[] = {"integer", "real"};

/* --- Out ------------------------------------------------------------------------------
 */

static int put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value);
}

static json_t *labels_json(const struct mm_value_info *value)
{
    json_t *labels = json_array();

    for (size_t i = 0; i < value->label_count; i++)
        labels = mm_json_append(
            labels, json_pack("{s:I, s:o}", "value", (json_int_t)value->labels[i].value,
                              "text", mm_json_text(value->labels[i].text)));
    return labels;
}

/* Return a value of the method as a JSON object: for a mode with its number in this
 * model, for a parameter with the measured range. */
static json_t *value_json(const struct mm_model *model, size_t i)
{
    const struct mm_value_info *value = &model->method->values[i];
    json_t *object = json_object();
    int failed = put(object, "name", mm_json_text(value->name));

    failed |= put(object, "kind", json_string(kinds[value->kind]));
    failed |= put(object, "type", json_string(types[value->type]));
    if (value->expression)
        failed |= put(object, "expression", mm_json_text(value->expression));
    if (value->label_count)
        failed |= put(object, "labels", labels_json(value));
    if (value->kind == MONITOR_MODE)
        failed |= put(object, "is", json_integer(model->modes[i].i));
    if (value->kind == MONITOR_PARAM)
        failed |= put(object, "range",
                      json_pack("[o, o]", mm_double_json(model->low[i]),
                                mm_double_json(model->high[i])));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *values_json(const struct mm_model *model)
{
    json_t *values = json_array();

    for (size_t i = 0; i < model->method->value_count; i++)
        values = mm_json_append(values, value_json(model, i));
    return values;
}

static json_t *callees_json(const struct mm_stored_model *stored)
{
    json_t *callees = json_array();

    for (size_t i = 0; i < stored->callee_count; i++) {
        const struct mm_stored_callee *callee = &stored->callees[i];

        callees =
            mm_json_append(callees, json_pack("{s:o, s:o, s:I, s:I}", "port_type",
                                              mm_json_text(callee->port_type), "method",
                                              mm_json_text(callee->method), "calls",
                                              (json_int_t)callee->calls, "inclusive_ns",
                                              (json_int_t)callee->inclusive_ns));
    }
    return callees;
}

static json_t *contexts_json(const struct mm_stored_model *stored)
{
    json_t *contexts = json_array();

    for (size_t i = 0; i < stored->context_count; i++)
        contexts = mm_json_append(contexts, mm_json_text(stored->contexts[i]));
    return contexts;
}

static json_t *formula_json(const struct mm_model *model)
{
    char text[2048];

    mm_model_print(model, text, sizeof text);
    return mm_json_text(text);
}

json_t *mm_stored_json(const struct mm_stored_model *stored)
{
    const struct mm_method_info *method = stored->model.method;
    json_t *object = json_object();
    int failed = put(object, "schema", json_string(MM_MODEL_SCHEMA));

    failed |= put(object, "class", mm_json_text(method->class_name));
    failed |= put(object, "build_id", mm_json_text(method->build_id));
    failed |= put(object, "port_type", mm_json_text(method->port_type));
    failed |= put(object, "method", mm_json_text(method->method));
    failed |= put(object, "metric", mm_json_text(stored->metric));
    failed |= put(object, "unit", json_string(stored->model.counts ? "count" : "ns"));
    failed |= put(object, "machine", mm_machine_json_of(&stored->machine));
    failed |= put(object, "name", mm_json_text(method->name));
    failed |= put(object, "instance", mm_json_text(method->instance));
    failed |= put(object, "port", mm_json_text(method->port));
    failed |= put(object, "values", values_json(&stored->model));
    failed |= put(object, "calls", json_integer((json_int_t)stored->calls));
    failed |= put(object, "callees", callees_json(stored));
    if (stored->beside)
        failed |= put(object, "beside", mm_json_text(stored->beside));
    failed |= put(object, "contexts", contexts_json(stored));
    failed |= put(object, "formula", formula_json(&stored->model));
    failed |= put(object, "model", mm_fields_json(mm_model_fields, &stored->model));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* --- In
 * --------------------------------------------------------------------------------- */

/* Copy a string member of the document. */
static int take_text(const json_t *object, const char *key, const char **to,
                     struct cca_error *err)
{
    const char *text = json_string_value(json_object_get(object, key));

    if (!text)
        return cca_error_set(err, -EBADMSG, "found no string '%s'", key);
    *to = strdup(text);
    return *to ? 0 : cca_no_memory(err);
}

static int find_word(const json_t *object, const char *key, const char *const *words,
                     int count, int *found, struct cca_error *err)
{
    const char *text = json_string_value(json_object_get(object, key));

    for (*found = 0; text && *found < count; ++*found)
        if (strcmp(words[*found], text) == 0)
            return 0;
    return cca_error_set(err, -EBADMSG, "found no good '%s', expected '%s' or '%s'", key,
                         words[0], words[1]);
}

static int read_labels(struct mm_value_info *value, const json_t *labels,
                       struct cca_error *err)
{
    size_t count = json_array_size(labels);

    if (labels && !json_is_array(labels))
        return cca_error_set(err, -EBADMSG, "found no array 'labels'");
    value->labels = calloc(count + 1, sizeof *value->labels);
    if (!value->labels)
        return cca_no_memory(err);
    for (; value->label_count < count; value->label_count++) {
        const json_t *item = json_array_get(labels, value->label_count);
        struct monitor_label *label = &value->labels[value->label_count];

        if (!json_is_integer(json_object_get(item, "value")))
            return cca_error_set(err, -EBADMSG, "found a label without an integer");
        label->value = json_integer_value(json_object_get(item, "value"));
        if (take_text(item, "text", &label->text, err))
            return err && err->code ? err->code : -EBADMSG;
    }
    return 0;
}

static int read_value(struct mm_model *model, size_t i, const json_t *item,
                      struct cca_error *err)
{
    struct mm_value_info *value = &model->method->values[i];
    const json_t *range = json_object_get(item, "range");
    int kind, type, result;

    result = take_text(item, "name", &value->name, err);
    if (!result)
        result = find_word(item, "kind", kinds, 4, &kind, err);
    if (!result)
        result = find_word(item, "type", types, 2, &type, err);
    if (result)
        return result;
    value->kind = (enum monitor_kind)kind;
    value->type = (enum monitor_type)type;
    if (json_object_get(item, "expression") &&
        (result = take_text(item, "expression", &value->expression, err)))
        return result;
    if (value->kind == MONITOR_MODE)
        model->modes[i].i = json_integer_value(json_object_get(item, "is"));
    if (value->kind == MONITOR_PARAM &&
        (json_array_size(range) != 2 ||
         !mm_double_read(json_array_get(range, 0), &model->low[i]) ||
         !mm_double_read(json_array_get(range, 1), &model->high[i])))
        return cca_error_set(err, -EBADMSG, "found no 'range' of two numbers");
    return read_labels(value, json_object_get(item, "labels"), err);
}

/* Read the values of a method, which must come in order: parameters and modes, then
 * out-values. */
static int read_values(struct mm_model *model, const json_t *values,
                       struct cca_error *err)
{
    struct mm_method_info *method = model->method;
    size_t count = json_array_size(values);

    if (!json_is_array(values) || count > MONITOR_MAX_IN + MONITOR_MAX_OUT)
        return cca_error_set(err, -EBADMSG, "found no array 'values' of at most %d",
                             MONITOR_MAX_IN + MONITOR_MAX_OUT);
    method->values = calloc(count + 1, sizeof *method->values);
    if (!method->values)
        return cca_no_memory(err);
    while (method->value_count < count) {
        size_t i = method->value_count++;
        int out = 0, result;

        /* check the index first, because `modes` has no space for out-values */
        if (i >= MONITOR_MAX_IN || method->in_count < i) {
            const char *kind =
                json_string_value(json_object_get(json_array_get(values, i), "kind"));

            out = kind && (strcmp(kind, kinds[MONITOR_OUT]) == 0 ||
                           strcmp(kind, kinds[MONITOR_HINT]) == 0);
            if (!out)
                return cca_error_set(err, -EBADMSG,
                                     "found a parameter or mode in the place of an out");
        }
        result = read_value(model, i, json_array_get(values, i), err);
        if (result)
            return result;
        if (!monitor_kind_is_out(method->values[i].kind))
            method->in_count = i + 1;
    }
    return 0;
}

static int read_callees(struct mm_stored_model *stored, const json_t *callees,
                        struct cca_error *err)
{
    size_t count = json_array_size(callees);

    if (!json_is_array(callees))
        return cca_error_set(err, -EBADMSG, "found no array 'callees'");
    stored->callees = calloc(count + 1, sizeof *stored->callees);
    if (!stored->callees)
        return cca_no_memory(err);
    while (stored->callee_count < count) {
        const json_t *item = json_array_get(callees, stored->callee_count);
        struct mm_stored_callee *callee = &stored->callees[stored->callee_count++];
        int result = take_text(item, "port_type", (const char **)&callee->port_type, err);

        if (!result)
            result = take_text(item, "method", (const char **)&callee->method, err);
        if (result)
            return result;
        callee->calls = (uint64_t)json_integer_value(json_object_get(item, "calls"));
        callee->inclusive_ns = json_integer_value(json_object_get(item, "inclusive_ns"));
    }
    return 0;
}

static int read_contexts(struct mm_stored_model *stored, const json_t *object,
                         struct cca_error *err)
{
    const json_t *contexts = json_object_get(object, "contexts");
    size_t count = json_array_size(contexts);

    if (!json_is_array(contexts))
        return cca_error_set(err, -EBADMSG, "found no array 'contexts'");
    stored->contexts = calloc(count + 1, sizeof *stored->contexts);
    if (!stored->contexts)
        return cca_no_memory(err);
    for (; stored->context_count < count; stored->context_count++) {
        const char *text =
            json_string_value(json_array_get(contexts, stored->context_count));

        if (!text)
            return cca_error_set(err, -EBADMSG, "found a context that is no string");
        stored->contexts[stored->context_count] = strdup(text);
        if (!stored->contexts[stored->context_count])
            return cca_no_memory(err);
    }
    return json_object_get(object, "beside")
               ? take_text(object, "beside", (const char **)&stored->beside, err)
               : 0;
}

static int read_method(struct mm_method_info *method, const json_t *object,
                       struct cca_error *err)
{
    const struct {
        const char *key, **to;
    } texts[] = {{"class", &method->class_name},        {"build_id", &method->build_id},
                 {"port_type", &method->port_type},     {"method", &method->method},
                 {"instance", &method->instance},       {"port", &method->port},
                 {"name", (const char **)&method->name}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int result = take_text(object, texts[i].key, texts[i].to, err);

        if (result)
            return result;
    }
    return 0;
}

static int read_fitted(struct mm_stored_model *stored, const json_t *object,
                       struct cca_error *err)
{
    static const char *const units[] = {"ns", "count"};
    struct mm_model *model = &stored->model;
    int result, unit;

    model->method = calloc(1, sizeof *model->method);
    if (!model->method)
        return cca_no_memory(err);
    result = read_method(model->method, object, err);
    if (!result)
        result = take_text(object, "metric", (const char **)&stored->metric, err);
    if (!result)
        result = find_word(object, "unit", units, 2, &unit, err);
    if (!result)
        result =
            mm_machine_read(&stored->machine, json_object_get(object, "machine"), err);
    if (!result)
        result = read_values(model, json_object_get(object, "values"), err);
    if (!result)
        result = read_callees(stored, json_object_get(object, "callees"), err);
    if (!result)
        result = read_contexts(stored, object, err);
    stored->calls = (uint64_t)json_integer_value(json_object_get(object, "calls"));
    if (!result)
        result =
            mm_fields_read(mm_model_fields, json_object_get(object, "model"), model, err);
    if (!result && model->counts != unit)
        result = cca_error_set(err, -EBADMSG, "found another 'unit' than the model has");
    return result ? result : mm_model_check(model, err);
}

int mm_stored_read(struct mm_stored_model *stored, const char *path,
                   struct cca_error *err)
{
    struct cca_error inner = {0};
    struct mm_text_file file;
    int result = mm_text_file_read(&file, path, err);

    *stored = (struct mm_stored_model){0};
    if (result)
        return result;
    stored->file = strdup(path);
    if (!stored->file)
        result = cca_no_memory(&inner);
    else if (file.checked)
        result = read_fitted(stored, file.json, &inner);
    else
        result = mm_hand_model_read(stored, &file, &inner);
    if (!result && !(stored->class_name = strdup(stored->model.method->class_name)))
        result = cca_no_memory(&inner);
    if (result == -EBADMSG && file.checked)
        cca_error_set(err, result, "%s:1: %s", path, inner.text);
    else if (result)
        cca_error_set(err, result, "%s", inner.text);
    mm_text_file_done(&file);
    if (result)
        mm_stored_done(stored);
    return result;
}

void mm_stored_done(struct mm_stored_model *stored)
{
    for (size_t i = 0; i < stored->callee_count; i++) {
        free(stored->callees[i].port_type);
        free(stored->callees[i].method);
    }
    for (size_t i = 0; i < stored->context_count; i++)
        free(stored->contexts[i]);
    free(stored->contexts);
    free(stored->beside);
    free(stored->callees);
    free(stored->file);
    free(stored->class_name);
    free(stored->mark);
    free(stored->metric);
    mm_model_done(&stored->model);
    *stored = (struct mm_stored_model){0};
}

int mm_stored_same_key(const struct mm_stored_model *a, const struct mm_stored_model *b)
{
    const struct mm_method_info *x = a->model.method, *y = b->model.method;

    return strcmp(x->class_name, y->class_name) == 0 &&
           strcmp(x->build_id, y->build_id) == 0 &&
           strcmp(x->port_type, y->port_type) == 0 && strcmp(x->method, y->method) == 0 &&
           strcmp(a->metric, b->metric) == 0 &&
           strcmp(a->beside ? a->beside : "", b->beside ? b->beside : "") == 0 &&
           mm_same_in_values(x, y) && mm_same_modes(x, a->model.modes, b->model.modes) &&
           mm_machine_same(&a->machine, &b->machine);
}
