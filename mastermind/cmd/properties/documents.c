/* SPDX-License-Identifier: BSD-3-Clause */
/* documents.c: print findings as a document. */
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text && *text)
        mm_json_put(object, key, mm_json_escaped(text));
}

static void put_numbers(json_t *object, double severity, double low, double high,
                        double confidence)
{
    mm_json_set(object, "severity low high confidence", severity, low, high, confidence);
}

static void put_region(json_t *object, const struct properties_asked *a, int64_t id)
{
    const struct mm_world_region *region = mm_world_region(&a->world, id);

    if (!region)
        return;
    put_text(object, "region", region->name);
    put_text(object, "kind", region->kind);
    mm_json_put(object, "share", mm_json_finite(region->share));
}

/* Set the member "run": the path of a run, or of the first of its repeats. */
static void put_run(json_t *object, const struct properties_asked *a, int64_t id)
{
    const struct mm_world_run *run = mm_world_run(&a->world, id);

    if (run)
        put_text(object, "run", run->path);
}

/* Split "property: reason" into members. */
static json_t *reason_json(const char *text)
{
    json_t *object = json_object();
    char name[100];
    size_t length = strcspn(text, ":");

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    put_text(object, "property", name);
    put_text(object, "reason", text[length] ? text + length + 2 : text + length);
    return object;
}

/* The sentence that the library has about a property; NULL: none. */
static const char *meaning_of(const struct properties_asked *a, const char *property)
{
    for (size_t i = 0; i < a->library.count; i++)
        if (strcmp(a->library.all[i]->name.text, property) == 0)
            return a->library.all[i]->doc.text;
    return NULL;
}

static json_t *finding_json(const struct properties_asked *a, const struct mm_finding *f)
{
    json_t *object = json_object();

    put_text(object, "property", f->asked->property);
    put_text(object, "meaning", meaning_of(a, f->asked->property));
    put_run(object, a, f->asked->configuration);
    put_region(object, a, f->asked->region);
    put_text(object, "unit", f->unit);
    put_text(object, "detail", f->asked->detail);
    put_numbers(object, f->severity, f->low, f->high, f->confidence);
    mm_json_set(object, "adjusted confident", f->adjusted, json_boolean(f->confident));
    put_text(object, "how", f->asked->how);
    return object;
}

static json_t *answer_json(const struct properties_asked *a,
                           const struct mm_named_answer *answer)
{
    json_t *object = json_object();

    put_text(object, "property", answer->property);
    put_run(object, a, answer->configuration);
    put_region(object, a, answer->region);
    if (answer->rank >= 0) {
        mm_json_set(object, "rank thread", answer->rank, answer->thread);
    }
    put_text(object, "detail", answer->detail);
    if (answer->holds >= 0)
        mm_json_put(object, "holds", json_boolean(answer->holds));
    put_numbers(object, answer->severity, answer->low, answer->high, answer->confidence);
    put_text(object, "how", answer->how);
    put_text(object, "reason", answer->reason);
    return object;
}

static json_t *runs_json(const struct properties_asked *a)
{
    json_t *runs = json_array();

    for (size_t i = 0; i < a->world.run_count; i++) {
        const struct mm_world_run *run = &a->world.runs[i];
        json_t *object = json_object();

        put_text(object, "path", run->path);
        put_text(object, "state", run->state);
        mm_json_set(object, "ranks units cores sequential", (json_int_t)run->ranks,
                    (json_int_t)run->units, run->cores,
                    json_boolean(run->id == a->sequential_id));
        json_array_append_new(runs, object);
    }
    return runs;
}

json_t *properties_json(const struct properties_asked *a, int all)
{
    json_t *document = mm_json_document("properties"), *findings = json_array(),
           *causes = json_array(), *reasons = json_array(), *answers = json_array();

    for (size_t i = 0; i < a->findings.count; i++)
        json_array_append_new(findings, finding_json(a, &a->findings.all[i]));
    for (size_t i = 0; i < a->causes.count; i++) {
        json_t *object = finding_json(a, a->causes.all[i].finding);

        mm_json_put(object, "depth", json_integer(a->causes.all[i].depth));
        json_array_append_new(causes, object);
    }
    for (size_t i = 0; i < a->findings.not_evaluated; i++)
        json_array_append_new(reasons, reason_json(a->findings.reasons[i]));
    for (size_t i = 0; all && i < a->answer_count; i++)
        json_array_append_new(answers, answer_json(a, &a->answers[i]));
    mm_json_set(document,
                "threshold least_confidence runs asked not_held confident small_regions "
                "findings causes not_evaluated",
                a->threshold, a->confidence, runs_json(a), (json_int_t)a->findings.asked,
                (json_int_t)a->findings.not_held, (json_int_t)a->findings.confident,
                (json_int_t)a->small, findings, causes, reasons);
    if (all)
        mm_json_put(document, "answers", answers);
    else
        json_decref(answers);
    return document;
}
