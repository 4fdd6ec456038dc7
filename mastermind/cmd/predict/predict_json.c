/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_json.c: a prediction for a measured base as a document, mastermind/predict/1.
 */
#include <math.h>

#include "mastermind/cmd/line.h"
#include "mastermind/cmd/predict/forecast_verb.h"

static json_t *part_json(const struct mm_part *part, const struct mm_runs *runs,
                         const struct mm_metric *metric)
{
    json_t *object = json_object();

    mm_json_put_method(object, part->method);
    mm_json_put(object, "predicted_class", mm_json_escaped(part->class_name));
    mm_json_put(object, "modelled", json_boolean(part->modelled));
    mm_json_put(object, "calls", json_integer((json_int_t)part->calls));
    mm_json_put(object, "calls_predicted", mm_json_finite(part->calls_now));
    mm_json_put(object, "calls_follow", json_boolean(part->follows));
    mm_json_put(object, "reasons", mm_json_reasons(part->flags));
    mm_json_put_seconds(object, "measured", metric, part->measured_ns);
    if (!part->unknown_calls) {
        mm_json_put_seconds(object, "predicted", metric, part->predicted_ns);
        mm_json_put_seconds(object, "below", metric, part->below_ns);
        mm_json_put_seconds(object, "half_95", metric,
                            mm_parts_half_ns(part, 1, runs, 0));
        if (part->flags & MM_RIVALS)
            mm_json_put_seconds(object, "rival", metric, part->rival_ns);
    }
    mm_json_put(object, "error", mm_json_finite(part->error));
    mm_json_put(object, "calls_without_model",
                json_integer((json_int_t)part->unknown_calls));
    mm_json_put(object, "calls_beyond_range",
                json_integer((json_int_t)part->beyond_calls));
    if (part->beyond > 1) {
        mm_json_put(object, "beyond", mm_json_finite(part->beyond));
        mm_json_put(object, "beyond_parameter", mm_json_escaped(part->beyond_name));
    }
    return object;
}

int mm_prediction_print_json(const struct mm_input *input, const struct mm_prediction *p,
                             const struct mm_library *library,
                             const struct mm_keeper *keeper)
{
    const struct mm_metric *metric = &input->metric;
    json_t *document = mm_json_metric_document("predict", metric), *parts = json_array();

    mm_json_put(document, "experiment", mm_json_escaped(input->experiments[0]->name));
    mm_json_put_seconds(document, "measured", metric, p->measured_ns);
    if (!p->unknown_calls) {
        mm_json_put_seconds(document, "total", metric, p->total_ns);
        mm_json_put_seconds(document, "half_95", metric, p->half_ns);
        mm_json_put(document, "runs_in_interval", json_boolean(!p->without_runs));
    }
    for (size_t i = 0; i < p->part_count; i++)
        json_array_append_new(parts, part_json(&p->parts[i], &library->runs, metric));
    mm_json_put(document, "parts", parts);
    if (keeper->path && !p->unknown_calls) {
        mm_json_put_seconds(document, "low", metric, keeper->low);
        mm_json_put_seconds(document, "high", metric, keeper->high);
    }
    mm_json_put(document, "ledger", mm_keeper_json(keeper));
    mm_json_put(document, "notes", mm_json_notes(&library->notes, &p->notes));
    return mm_json_print(document);
}
