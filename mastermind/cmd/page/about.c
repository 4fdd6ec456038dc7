/* SPDX-License-Identifier: BSD-3-Clause */
/* about.c: members of the page's document about the run and its methods. */
#include <string.h>
#include <time.h>

#include "mastermind/cmd/page/page.h"

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text)
        mm_json_put(object, key, mm_json_escaped(text));
}

/* Set the start of the run's clock in ISO 8601, UTC. */
static void put_started(json_t *object, int64_t epoch_ns)
{
    time_t seconds = (time_t)(epoch_ns / 1000000000);
    struct tm parts;
    char text[32];

    if (epoch_ns > 0 && gmtime_r(&seconds, &parts) &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts))
        mm_json_put(object, "started", json_string(text));
}

json_t *mm_page_about(const struct mm_page *page)
{
    const struct mm_experiment *e = page->experiment;
    const struct mm_dual *dual = page->profile->dual;
    json_t *run = json_object(), *command = json_array(), *not_seen = json_array();

    mm_json_set(run, "name finished", e->name, json_boolean(e->finished));
    for (size_t i = 0; i < e->command_count; i++)
        json_array_append_new(command, mm_json_escaped(e->command[i]));
    mm_json_put(run, "command", command);
    for (size_t i = 0; i < e->not_seen_count; i++)
        json_array_append_new(not_seen, mm_json_escaped(e->not_seen[i]));
    mm_json_put(run, "not_seen", not_seen);
    put_text(run, "host", e->host);
    put_text(run, "cpu", e->cpu);
    put_started(run, e->epoch_ns);
    mm_json_set(run, "ranks threads rows total_ns", e->ranks, dual->threads,
                (json_int_t)dual->rows, dual->total_ns);
    return run;
}

static json_t *value_json(const struct mm_value_info *info)
{
    json_t *value = json_object(), *labels;

    mm_json_set(value, "name kind", info->name,
                info->kind == MONITOR_MODE ? "mode" : "param");
    put_text(value, "expression", info->expression);
    if (!info->label_count)
        return value;
    labels = json_array();
    for (size_t i = 0; i < info->label_count; i++) {
        json_array_append_new(labels, mm_json_object("value text", info->labels[i].value,
                                                     info->labels[i].text));
    }
    mm_json_put(value, "labels", labels);
    return value;
}

/* Index of the method's models in the library; -1: none. */
static json_int_t set_of(const struct mm_page *page, const struct mm_method_info *method)
{
    const struct mm_model_set *set =
        mm_library_find(page->library, method->class_name, method->build_id,
                        method->port_type, method->method);

    if (!set || strcmp(set->method->build_id, method->build_id) != 0)
        return -1;
    return set - page->library->sets;
}

/* All methods by index, also methods without calls. */
json_t *mm_page_methods(const struct mm_page *page)
{
    json_t *methods = json_array();

    for (size_t i = 0; i < page->source.method_count; i++) {
        const struct mm_method_info *method = page->source.methods[i];
        json_t *object = json_object(), *values = json_array();

        mm_json_put_method(object, method);
        for (size_t k = 0; k < method->in_count; k++)
            json_array_append_new(values, value_json(&method->values[k]));
        mm_json_set(object, "values models one_in called", values, set_of(page, method),
                    page->one_in ? (json_int_t)page->one_in[i] : 1,
                    json_boolean(page->profile->dual->vertices[i].calls > 0));
        json_array_append_new(methods, object);
    }
    return methods;
}
