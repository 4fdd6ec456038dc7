/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_json.c: a choice as a document, mastermind/choose/1. */
#include <math.h>

#include "mastermind/cmd/choose/choose_verb.h"
#include "mastermind/cmd/line.h"

static json_t *classes_json(const struct mm_open_choice *choice, const size_t *at)
{
    json_t *object = json_object();

    for (size_t s = 0; s < choice->slot_count; s++)
        mm_json_put(object, choice->slots[s].instance,
                    mm_json_escaped(choice->slots[s].classes[at[s]].name));
    return object;
}

static json_t *class_json(const struct mm_open_view *view, const struct mm_open_class *c)
{
    json_t *object = json_object(), *qualities = json_object();

    mm_json_set(object, "class runs has_cost", c->name, (json_int_t)c->runs,
                json_boolean(c->known));
    if (!c->known)
        mm_json_put(object, "why", mm_json_escaped(c->why));
    mm_json_set_seconds(object, view->metric, "total low high", c->total_ns, c->low_ns,
                        c->high_ns);
    for (size_t i = 0; c->instance && i < c->instance->quality_count; i++)
        mm_json_put(qualities, c->instance->qualities[i].name,
                    mm_json_finite(c->instance->qualities[i].value));
    mm_json_put(object, "qualities", qualities);
    return object;
}

static json_t *slots_json(const struct mm_open_view *view)
{
    json_t *slots = json_array();

    for (size_t s = 0; s < view->choice->slot_count; s++) {
        const struct mm_open_slot *slot = &view->choice->slots[s];
        json_t *object = json_object(), *classes = json_array();

        mm_json_put(object, "slot", mm_json_escaped(slot->instance));
        for (size_t i = 0; i < slot->class_count; i++)
            json_array_append_new(classes, class_json(view, &slot->classes[i]));
        mm_json_put(object, "classes", classes);
        json_array_append_new(slots, object);
    }
    return slots;
}

static json_t *items_json(const struct mm_open_view *view,
                          const struct mm_open_assembly *items, size_t count,
                          int compared)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct mm_open_assembly *item = &items[i];
        json_t *object = json_object();

        mm_json_put(object, "classes", classes_json(view->choice, item->at));
        mm_json_set_seconds(object, view->metric, "total low high",
                            item->forecast->total_ns, item->forecast->low_ns,
                            item->forecast->high_ns);
        mm_json_put(object, "value", mm_json_finite(item->value));
        if (compared && i) {
            mm_json_set_seconds(object, view->metric, "apart apart_low apart_high",
                                item->apart_ns, item->apart_low_ns, item->apart_high_ns);
            mm_json_put(object, "tie", json_boolean(item->is_tie));
        }
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *asked_json(const struct mm_open_view *view)
{
    const struct mm_axes *axes = mm_forecaster_axes(view->forecaster);
    json_t *object = json_object();

    for (size_t i = 0; i < axes->count; i++) {
        const char *text = mm_question_text(view->question, axes, i);

        if (text && axes->items[i].varies && mm_axis_counts(axes, i))
            mm_json_put(object, axes->items[i].name, mm_json_escaped(text));
    }
    return object;
}

static json_t *decider_json(const struct mm_open_view *view)
{
    static const char *const kinds[] = {"cost", "counts", "driver", "mpi", "runs"};
    const struct mm_decider *d = &view->choice->decider;
    const struct mm_structure *structure =
        mm_forecaster_structure(view->choice->items[0].forecast->by);
    json_t *object = json_object();
    char name[200];

    mm_json_set(object, "doubt share", kinds[d->kind], d->share);
    if (d->kind == MM_DOUBT_COST)
        mm_json_put(object, "method",
                    mm_json_escaped(structure->cells.vertices[d->vertex].name));
    if (d->kind == MM_DOUBT_DRIVER) {
        mm_driver_print(structure, d->driver, name, sizeof name);
        mm_json_put(object, "driver", mm_json_escaped(name));
    }
    mm_json_set(object, "class run", d->class_name,
                classes_json(view->choice, view->choice->items[d->item].at));
    return object;
}

int mm_open_print_json(const struct mm_open_view *view)
{
    const struct mm_open_choice *choice = view->choice;
    json_t *document = mm_json_metric_document("choose", view->metric);

    mm_json_set(document, "runs asked level slots", (json_int_t)view->runs->models.count,
                asked_json(view), MM_FORECAST_LEVEL, slots_json(view));
    if (choice->count) {
        mm_json_set(
            document, "choice decided", classes_json(choice, choice->items[0].at),
            json_boolean(!choice->ties && isfinite(choice->items[0].forecast->low_ns)));
    }
    if (choice->ties)
        mm_json_put(document, "to_decide", decider_json(view));
    mm_json_put(document, "assemblies",
                items_json(view, choice->items, choice->count, 1));
    if (view->asked->has_query) {
        if (view->asked->query.front) {
            mm_json_set(document, "front greater_is_better", view->asked->query.front,
                        json_boolean(choice->listed_greater));
        }
        mm_json_set(document, "list list_has_more",
                    items_json(view, choice->listed, choice->listed_count, 0),
                    json_boolean(choice->listed_more));
    }
    if (view->runs->has_base) {
        const struct mm_forecast_run *base = &view->runs->runs[0];
        json_t *object = json_object();

        mm_json_put(object, "experiment", mm_json_escaped(base->name));
        mm_json_set_seconds(object, view->metric, "measured", mm_open_measured_ns(view));
        mm_json_put(document, "base", object);
    }
    mm_stretch_put(document, mm_input_stretch(&view->runs->models));
    mm_json_set(document, "forecasts residual script", (json_int_t)choice->forecasts,
                choice->residual, view->script);
    if (view->run)
        mm_json_put(document, "run", mm_choose_run_json(view->run, view->metric));
    mm_json_set(document, "ledger notes", mm_keeper_json(view->asked->keeper),
                mm_json_notes(&view->library->notes, &choice->notes));
    return mm_json_print(document);
}
