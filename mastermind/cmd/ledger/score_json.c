/* SPDX-License-Identifier: BSD-3-Clause */
/* score_json.c: a score as a JSON document, mastermind/ledger/1. */
#include "mastermind/cmd/ledger/ledger_verb.h"

static json_t *shares_json(const struct mm_score_view *view)
{
    json_t *array = json_array();

    for (size_t i = 0; i < view->score->share_count; i++) {
        const struct mm_ledger_share *share = &view->score->shares[i];
        json_array_append_new(
            array, mm_json_object("level statements held low_95 high_95 factor",
                                  share->level, share->count, share->held, share->low,
                                  share->high, view->recalibrations[i].factor));
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
        mm_json_set(object, "name count log_ratio", name, bias->count, bias->median);
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

    mm_json_set(document, "file statements outcomes cut_lines scored shares", view->path,
                score->statements, score->outcomes, view->ledger->cut, score->pair_count,
                shares_json(view));
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        mm_json_put(bias, groups[i].key, group_json(score, groups[i].group));
    mm_json_put(document, "bias", bias);
    mm_json_set(
        left,
        "not_run no_interval other_machine superseded unknown_parameters further_runs",
        score->not_run, score->no_interval, score->other_machine, score->superseded,
        score->unknown, score->further);
    mm_json_put(document, "left_out", left);
    mm_json_set(read, "experiments outcomes unfinished unknown_parameters without_metric",
                outcomes->experiments, outcomes->added, outcomes->unfinished,
                outcomes->unknown, outcomes->without_metric);
    mm_json_put(document, "read", read);
    return mm_json_print(document);
}
