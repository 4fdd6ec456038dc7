/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: JSON output of activity run: docs/schemas/activity-run.json. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "activity/cmd/run/run_verb.h"

static json_t *element_json(const struct act_element *e,
                            const struct act_element_sum *sum)
{
    json_t *object = json_pack(
        "{s:s, s:i, s:i, s:I, s:f, s:f, s:f, s:f, s:f}", "kind", act_kind_name(e->kind),
        "line", e->place.line, "column", e->place.column, "calls", (json_int_t)sum->calls,
        "cost_s", sum->cost_s, "total_s", sum->total_s, "wait_s", sum->wait_s, "least_s",
        sum->least_s, "largest_s", sum->largest_s);

    if (e->name)
        json_object_set_new(object, "name", json_string(e->name));
    if (e->id >= 0)
        json_object_set_new(object, "id", json_integer(e->id));
    return object;
}

static json_t *found_json(const struct run_asked *asked, const struct act_model *model,
                          const struct run_found *found)
{
    const struct run_measured *measured = run_measured_of(asked, &found->config);
    const struct act_result *r = &found->result;
    json_t *elements = json_array(), *run;

    for (int i = 0; i < model->element_count; i++)
        if (r->elements[i].calls > 0)
            json_array_append_new(elements,
                                  element_json(model->elements[i], &r->elements[i]));
    run = json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:f, s:b, s:o}", "nodes",
                    (json_int_t)found->config.nodes, "processes",
                    (json_int_t)found->config.processes, "threads",
                    (json_int_t)found->config.threads, "total_s", r->makespan_s,
                    "operations", (json_int_t)r->operations, "messages",
                    (json_int_t)r->messages, "bytes", (json_int_t)r->bytes, "evaluated_s",
                    found->evaluated_s, "shared", r->shared, "elements", elements);
    if (isfinite(found->low_s))
        json_object_set_new(run, "interval",
                            json_pack("{s:f, s:f, s:f}", "level", .95, "low_s",
                                      found->low_s, "high_s", found->high_s));
    if (measured)
        json_object_set_new(
            run, "measured",
            json_pack("{s:f, s:s, s:f}", "seconds", measured->measured_s, "source",
                      measured->source, "error",
                      fabs(r->makespan_s - measured->measured_s) / measured->measured_s));
    if (found->unsure)
        json_object_set_new(run, "interval_unknown", json_string(found->unsure));
    return run;
}

int run_print_json(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found)
{
    json_t *runs = json_array(), *document;
    int bad;

    for (int i = 0; i < asked->config_count; i++)
        json_array_append_new(runs, found_json(asked, model, &found[i]));
    document = json_pack("{s:s, s:s, s:s, s:o}", "schema", "activity/run/1", "model",
                         model->name, "file", model->file, "runs", runs);
    bad = !document ||
          json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(document);
    puts("");
    return bad ? act_refuse(ACT_EXIT_SYSTEM, "%s", strerror(ENOMEM))
               : act_finish_output(ACT_EXIT_DONE);
}
