/* SPDX-License-Identifier: BSD-3-Clause */
/* score_json.c: a score as a JSON document, mastermind/ledger/1. */
#include "mastermind/cmd/ledger/ledger_verb.h"

static json_t *size_json(size_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *shares_json(const struct mm_score_view *view)
{
    json_t *array = json_array();

    for (size_t i = 0; i < view->score->share_count; i++) {
        const struct mm_ledger_share *share = &view->score->shares[i];
        json_t *object = json_object();

        mm_json_put(object, "level", json_real(share->level));
        mm_json_put(object, "statements", size_json(share->count));
        mm_json_put(object, "held", size_json(share->held));
        mm_json_put(object, "low_95", json_real(share->low));
        mm_json_put(object, "high_95", json_real(share->high));
        mm_json_put(object, "factor", json_real(view->recalibrations[i].factor));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *group_json(const struct mm_ledger_score *score, enum mm_ledger_group group)
{
    json_t *array = json_array();

    for (size_t i = 0; i < score->bias_count; i++) {
        const struct mm_ledger_bias *bias = &score->biases[i];
        json_t *object;
        char name[600];

        if (bias->group != group)
            continue;
        object = json_object();
        snprintf(name, sizeof name, "%.*s", (int)bias->name_length, bias->name);
        mm_json_put(object, "name", mm_json_escaped(name));
        mm_json_put(object, "count", size_json(bias->count));
        mm_json_put(object, "log_ratio", json_real(bias->median));
        json_array_append_new(array, object);
    }
    return array;
}

int mm_score_print_json(const struct mm_score_view *view)
{
    static const struct {
        enum mm_ledger_group group;
        const char *key;
    } groups[] = {{MM_BY_ALL, "totals"},   {MM_BY_METRIC, "by_metric"},
                  {MM_BY_KIND, "by_kind"}, {MM_BY_QUANTITY, "by_quantity"},
                  {MM_BY_VERB, "by_verb"}, {MM_BY_BEYOND, "by_beyond"}};
    const struct mm_ledger_score *score = view->score;
    const struct mm_outcomes *outcomes = view->outcomes;
    json_t *document = mm_json_document("ledger"), *left = json_object();
    json_t *bias = json_object(), *read = json_object();

    mm_json_put(document, "file", mm_json_escaped(view->path));
    mm_json_put(document, "statements", size_json(score->statements));
    mm_json_put(document, "outcomes", size_json(score->outcomes));
    mm_json_put(document, "cut_lines", size_json(view->ledger->cut));
    mm_json_put(document, "scored", size_json(score->pair_count));
    mm_json_put(document, "shares", shares_json(view));
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        mm_json_put(bias, groups[i].key, group_json(score, groups[i].group));
    mm_json_put(document, "bias", bias);
    mm_json_put(left, "not_run", size_json(score->not_run));
    mm_json_put(left, "no_interval", size_json(score->no_interval));
    mm_json_put(left, "other_machine", size_json(score->other_machine));
    mm_json_put(left, "superseded", size_json(score->superseded));
    mm_json_put(left, "unknown_parameters", size_json(score->unknown));
    mm_json_put(left, "further_runs", size_json(score->further));
    mm_json_put(document, "left_out", left);
    mm_json_put(read, "experiments", size_json(outcomes->experiments));
    mm_json_put(read, "outcomes", size_json(outcomes->added));
    mm_json_put(read, "unfinished", size_json(outcomes->unfinished));
    mm_json_put(read, "unknown_parameters", size_json(outcomes->unknown));
    mm_json_put(read, "without_metric", size_json(outcomes->without_metric));
    mm_json_put(document, "read", read);
    return mm_json_print(document);
}
