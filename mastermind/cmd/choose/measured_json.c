/* SPDX-License-Identifier: BSD-3-Clause */
/* measured_json.c: a choice for a run as it was measured, as a document,
 * mastermind/choose/1. */
#include <math.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/line.h"

static json_t *candidate_json(const struct mm_candidate *c,
                              const struct mm_metric *metric)
{
    json_t *object = json_object(), *qualities = json_object();

    mm_json_put(object, "class", mm_json_escaped(c->class_name));
    mm_json_put(object, "ran", json_boolean(c->current));
    mm_json_put(object, "has_model", json_boolean(c->known));
    if (c->known) {
        mm_json_put_seconds(object, "total", metric, c->total_ns);
        mm_json_put_seconds(object, "half_95", metric, c->half_ns);
        mm_json_put_seconds(object, "own_half_95", metric, c->own_half_ns);
        if (c->flags & MM_RIVALS)
            mm_json_put_seconds(object, "rival", metric, c->rival_ns);
        mm_json_put(object, "reasons", mm_json_reasons(c->flags));
        mm_json_put(object, "error", mm_json_finite(c->error));
    }
    if (c->beyond > 1) {
        mm_json_put(object, "beyond", mm_json_finite(c->beyond));
        mm_json_put(object, "beyond_parameter", mm_json_escaped(c->beyond_name));
    }
    for (size_t i = 0; i < c->instance->quality_count; i++)
        mm_json_put(qualities, c->instance->qualities[i].name,
                    mm_json_finite(c->instance->qualities[i].value));
    mm_json_put(object, "qualities", qualities);
    return object;
}

static json_t *classes_json(const struct mm_choice *choice, const size_t *at)
{
    json_t *object = json_object();

    for (size_t i = 0; i < choice->slot_count; i++)
        mm_json_put(object, choice->slots[i].instance,
                    mm_json_escaped(choice->slots[i].candidates[at[i]].class_name));
    return object;
}

static json_t *ties_json(const struct mm_choice *choice)
{
    json_t *ties = json_array();

    for (size_t i = 0; i < choice->tie_count; i++) {
        json_t *object = json_object();

        mm_json_put(object, "classes", classes_json(choice, choice->ties[i].at));
        mm_json_put(object, "probability", mm_json_finite(choice->ties[i].probability));
        json_array_append_new(ties, object);
    }
    return ties;
}

static json_t *list_json(const struct mm_choice *choice, const struct mm_metric *metric)
{
    json_t *list = json_array();

    for (size_t i = 0; i < choice->listed_count; i++) {
        const struct mm_assembly *item = &choice->listed[i];
        json_t *object = json_object();

        mm_json_put(object, "classes", classes_json(choice, item->at));
        mm_json_put_seconds(object, "total", metric, item->total_ns);
        mm_json_put_seconds(object, "half_95", metric, item->half_ns);
        mm_json_put(object, "value", mm_json_finite(item->value));
        json_array_append_new(list, object);
    }
    return list;
}

static void put_choice(json_t *document, const struct mm_choice *choice,
                       const struct mm_metric *metric)
{
    mm_json_put(document, "choice", classes_json(choice, choice->chosen));
    mm_json_put_seconds(document, "total", metric, choice->total_ns);
    mm_json_put_seconds(document, "half_95", metric, choice->half_ns);
    mm_json_put(document, "runs_in_interval", json_boolean(!choice->without_runs));
    mm_json_put(document, "decided", json_boolean(mm_choice_is_decided(choice)));
    if (choice->has_second)
        mm_json_put(document, "probability", mm_json_finite(choice->probability));
    mm_json_put(document, "ties", ties_json(choice));
}

int mm_choose_print_json(const struct mm_choose_view *view)
{
    const struct mm_choice *choice = view->choice;
    const struct mm_metric *metric = &view->input->metric;
    json_t *document = mm_json_metric_document("choose", metric), *slots = json_array();

    mm_json_put(document, "experiment",
                mm_json_escaped(view->input->experiments[0]->name));
    mm_json_put_seconds(document, "measured", metric, choice->measured_ns);
    for (size_t i = 0; i < choice->slot_count; i++) {
        const struct mm_slot *slot = &choice->slots[i];
        json_t *item = json_object(), *candidates = json_array();

        mm_json_put(item, "slot", mm_json_escaped(slot->instance));
        mm_json_put_seconds(item, "measured", metric, slot->measured_ns);
        for (size_t k = 0; k < slot->candidate_count; k++)
            json_array_append_new(candidates,
                                  candidate_json(&slot->candidates[k], metric));
        mm_json_put(item, "candidates", candidates);
        json_array_append_new(slots, item);
    }
    mm_json_put(document, "slots", slots);
    if (choice->found && choice->slot_count)
        put_choice(document, choice, metric);
    if (view->query) {
        if (view->query->front) {
            mm_json_put(document, "front", mm_json_escaped(view->query->front));
            mm_json_put(document, "greater_is_better",
                        json_boolean(choice->listed_greater));
        }
        mm_json_put(document, "list", list_json(choice, metric));
        mm_json_put(document, "list_has_more", json_boolean(choice->listed_more));
    }
    if (view->script)
        mm_json_put(document, "script", mm_json_escaped(view->script));
    if (view->run)
        mm_json_put(document, "run", mm_choose_run_json(view->run, metric));
    if (view->asked->keeper->path && choice->found && choice->slot_count) {
        mm_json_put_seconds(document, "low", metric, view->asked->keeper->low);
        mm_json_put_seconds(document, "high", metric, view->asked->keeper->high);
    }
    mm_json_put(document, "ledger", mm_keeper_json(view->asked->keeper));
    mm_json_put(document, "notes", mm_json_notes(&view->library->notes, &choice->notes));
    return mm_json_print(document);
}
