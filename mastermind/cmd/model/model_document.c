/* SPDX-License-Identifier: BSD-3-Clause */
/* model_document.c: print models as a JSON document. */
#include <math.h>

#include "mastermind/cmd/model/model_verb.h"

static json_t *modes_json(const struct mm_model *model)
{
    json_t *modes = json_object();

    for (size_t i = 0; i < model->method->in_count; i++) {
        if (model->method->values[i].kind == MONITOR_MODE)
            mm_json_put(modes, model->method->values[i].name,
                        json_integer(model->modes[i].i));
    }
    return modes;
}

static json_t *range_json(const struct mm_model *model)
{
    json_t *ranges = json_object();

    for (size_t i = 0; i < model->method->in_count; i++) {
        json_t *range;

        if (model->method->values[i].kind != MONITOR_PARAM || model->lacks)
            continue;
        range = json_object();
        mm_json_set(range, "low high", model->low[i], model->high[i]);
        mm_json_put(ranges, model->method->values[i].name, range);
    }
    return ranges;
}

/* For each parameter, the power of it with which the cost grows at the upper end of its
 * measured range. */
static json_t *growth_json(const struct mm_model *model)
{
    json_t *growth = json_object();

    for (size_t i = 0; i < model->method->in_count; i++) {
        double exponent = mm_model_growth(model, i);

        if (isfinite(exponent))
            mm_json_put(growth, model->method->values[i].name, mm_json_finite(exponent));
    }
    return growth;
}

/* The terms of the formula without the constant. */
static json_t *terms_json(const struct mm_model *model, const struct mm_metric *metric)
{
    static const char *const kinds[] = {"one", "product", "hinge", "jump", "exponential"};
    const struct mm_form *form = &model->forms.form[0];
    json_t *terms = json_array();

    for (size_t i = 0; i < form->count; i++) {
        const struct mm_basis *basis = &form->basis[i];
        json_t *term, *factors;

        if (basis->kind == MM_BASIS_ONE)
            continue;
        term = json_object();
        factors = json_array();
        mm_json_put(term, "kind", json_string(kinds[basis->kind]));
        mm_json_set_ns(term, metric, "factor", form->a[i]);
        for (size_t k = 0; k < basis->factors; k++) {
            const struct mm_factor *factor = &basis->factor[k];
            json_array_append_new(
                factors, mm_json_object("parameter exponent logs",
                                        model->method->values[factor->parameter].name,
                                        factor->power, factor->logs));
        }
        mm_json_put(term, "factors", factors);
        if (basis->kind == MM_BASIS_HINGE || basis->kind == MM_BASIS_JUMP)
            mm_json_put(term, "at", mm_json_finite(basis->at));
        json_array_append_new(terms, term);
    }
    return terms;
}

static json_t *populations_json(const struct mm_model *model,
                                const struct mm_metric *metric)
{
    json_t *populations = json_array();

    for (size_t i = 0; i < model->populations.count; i++) {
        const struct mm_population *item = &model->populations.item[i];
        json_t *object = json_object();
        char rule[160];

        mm_rule_print(&item->rule, model->method, rule, sizeof rule);
        mm_json_put(object, "share", mm_json_finite(item->share));
        mm_json_set_ns(object, metric, "excess", item->excess);
        mm_json_set(object, "waits rule", json_boolean(item->waits), *rule ? rule : NULL);
        json_array_append_new(populations, object);
    }
    return populations;
}

static json_t *rivals_json(const struct mm_model *model)
{
    json_t *rivals = json_array();

    for (size_t i = 1; i < model->forms.count; i++) {
        json_t *object = json_object();
        char text[1024];

        mm_form_print(&model->forms.form[i], model->method, model->counts, text,
                      sizeof text);
        mm_json_set(object, "formula weight", text, model->forms.form[i].weight);
        json_array_append_new(rivals, object);
    }
    return rivals;
}

static json_t *model_json(const struct mm_model *model, const struct mm_metric *metric,
                          int stated)
{
    json_t *object = json_object(), *spread = json_object();
    char text[1024];

    mm_mode_print(model->method, model->modes, text, sizeof text);
    mm_json_set(object, "mode modes", text, modes_json(model));
    mm_model_print(model, text, sizeof text);
    mm_json_put(object, "formula", mm_json_escaped(text));
    mm_json_set_ns(object, metric, "constant", mm_form_constant(&model->forms.form[0]));
    mm_json_set(object, "terms range growth", terms_json(model, metric),
                range_json(model), growth_json(model));
    if (model->populations.spread.known) {
        mm_json_set(spread, "factor power", model->populations.spread.factor,
                    model->populations.spread.power);
        mm_json_put(object, metric->kind == MM_METRIC_TIME ? "sd_ns" : "sd", spread);
    } else {
        json_decref(spread);
    }
    mm_json_set(object, "reasons narrow error invocations sizes",
                mm_json_reasons(mm_model_flags_inside(model)),
                json_boolean(model->narrow), mm_model_error(model),
                stated ? 0 : (json_int_t)model->n, stated ? 0 : (json_int_t)model->sizes);
    if (model->typical_sum_ns > 0)
        mm_json_put(object, "mean_over_typical",
                    mm_json_finite(model->populations.sum / model->typical_sum_ns));
    mm_json_set(object, "populations host_calls", populations_json(model, metric),
                model->populations.host_calls);
    mm_json_set_ns(object, metric, "host", model->populations.host_ns);
    mm_json_put(object, "calls_without_evidence",
                mm_json_finite(model->populations.no_evidence));
    if (model->runs.runs && !stated)
        mm_json_put(object, "runs", json_integer((json_int_t)model->runs.runs));
    mm_json_put(object, "run_spread",
                stated ? NULL : mm_json_finite(model->runs.relative));
    if (model->drift.known)
        mm_json_put(object, "drift", mm_json_finite(model->drift.change));
    mm_json_put(object, "rivals", rivals_json(model));
    mm_json_set_ns(object, metric, "lacking", model->lacking_ns);
    return object;
}

/* Set the origin of a method's models, and the sum over its calls. */
static void put_set(json_t *method, const struct mm_model_view *view,
                    const struct mm_model_set *set)
{
    mm_json_set(method, "kept_in", set->given);
    if (set->beside && *set->beside)
        mm_json_put(method, "beside", mm_json_escaped(set->beside));
    if (set->unlike > 0)
        mm_json_put(method, "neighbours_apart", json_real(set->unlike));
    if (!(set->measured_ns > 0))
        return;
    mm_json_set_ns(method, view->metric, "measured modelled host", set->measured_ns,
                   set->modelled_ns, set->host_ns);
}

json_t *mm_model_document(const struct mm_model_view *view, mm_model_member member,
                          const void *context)
{
    json_t *document = mm_json_metric_document("model", view->metric);
    json_t *methods = json_array();

    for (size_t i = 0; i < view->library->count; i++) {
        const struct mm_model_set *set = &view->library->sets[i];
        json_t *method, *models;

        if (!mm_model_wanted(view, set))
            continue;
        method = json_object();
        models = json_array();
        mm_json_put_method(method, set->method);
        if (view->metric->kind == MM_METRIC_TIME)
            mm_json_put(method, "metric",
                        json_string(view->inclusive ? "inclusive own time"
                                                    : "exclusive own time"));
        mm_json_put(method, "invocations", json_integer((json_int_t)set->calls));
        put_set(method, view, set);
        for (size_t k = 0; k < set->model_count; k++) {
            json_t *object =
                model_json(&set->models[k], view->metric, set->given && !set->calls);

            if (member)
                member(context, set, &set->models[k], object);
            if (!member || json_object_get(object, "estimate"))
                json_array_append_new(models, object);
            else
                json_decref(object);
        }
        if (member && !json_array_size(models)) {
            json_decref(models);
            json_decref(method);
            continue;
        }
        mm_json_put(method, "models", models);
        json_array_append_new(methods, method);
    }
    mm_stretch_put(document, view->stretch);
    mm_json_set(document, "methods notes", methods,
                mm_json_notes(&view->library->notes, NULL));
    return document;
}

int mm_model_print_document(const struct mm_model_view *view, mm_model_member member,
                            const void *context)
{
    return mm_json_print(mm_model_document(view, member, context));
}
