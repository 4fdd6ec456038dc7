/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: the simulations as a JSON document; its shape is described in documents.txt. */
#include "mastermind/cmd/balance/balance_verb.h"

static json_t *steps_json(const struct mesh_source *source, const unsigned char *schedule)
{
    json_t *steps = json_array();

    for (int64_t t = 0; t < source->steps; t++)
        if (schedule[t])
            json_array_append_new(steps, json_integer(source->numbers[t]));
    return steps;
}

static json_t *result_json(const struct mesh_source *source,
                           const struct mesh_result *result, const char *name)
{
    const struct mesh_outcome *o = &result->outcome;
    json_t *json = json_object();

    mm_json_put(json, "policy", mm_json_escaped(name));
    mm_json_put(json, "repartitions", steps_json(source, result->schedule));
    mm_json_put(json, "cost", mm_json_finite(o->cost));
    mm_json_put(json, "above_oracle", mm_json_finite(result->above_oracle));
    mm_json_put(json, "imbalance_mean", mm_json_finite(o->imbalance_mean));
    mm_json_put(json, "imbalance_max", mm_json_finite(o->imbalance_max));
    mm_json_put(json, "loss_mean", mm_json_finite(o->loss_mean));
    mm_json_put(json, "loss_max", mm_json_finite(o->loss_max));
    mm_json_put(json, "cells_moved", json_integer(o->cells_moved));
    return json;
}

static json_t *heavy_json(const struct balance_verb *verb,
                          const struct balance_found *found)
{
    json_t *json = json_object();

    mm_json_put(json, "steps", json_integer(found->heavy.steps));
    mm_json_put(
        json, "step",
        json_integer(mesh_source_number(&verb->trace.source, found->heavy.worst)));
    mm_json_put(json, "cell", json_integer(found->heavy.cell));
    mm_json_put(json, "factor", mm_json_finite(found->heavy.factor));
    return json;
}

void balance_put_price(json_t *json, const struct balance_verb *verb,
                       const struct balance_found *found)
{
    if (verb->price_model) {
        balance_model_json(verb->price_model, json);
        return;
    }
    if (found->price.function) {
        mm_json_put(json, "price_by", mm_json_escaped(verb->repartition_text));
        return;
    }
    mm_json_put(json, "price", mm_json_finite(found->price.repartition));
    mm_json_put(json, "price_cell", mm_json_finite(found->price.cell));
}

json_t *balance_json(const struct balance_verb *verb, const struct balance_found *found)
{
    const struct mesh_source *source = &verb->trace.source;
    const struct mesh_simulation *simulation = &found->simulation;
    const struct mm_mesh_probe *probe =
        mesh_profile_probe(verb->trace.profile, verb->trace.probe);
    json_t *json = json_object(), *policies = json_array(), *bounds = json_object();

    mm_json_put(json, "probe", mm_json_escaped(probe->name));
    mm_json_put(json, "unit", *probe->unit ? mm_json_escaped(probe->unit) : NULL);
    mm_json_put(json, "parts", json_integer(found->loads->parts));
    mm_json_put(json, "partitioner", mm_json_escaped(verb->partitioner));
    if (verb->zoltan_ranks)
        mm_json_put(json, "zoltan_ranks", json_integer(verb->zoltan_ranks));
    mm_json_put(json, "lag", json_integer(found->loads->lag));
    if (verb->every > 1)
        mm_json_put(json, "every", json_integer(verb->every));
    mm_json_put(json, "first_step", json_integer(source->numbers[0]));
    mm_json_put(json, "last_step", json_integer(source->numbers[source->steps - 1]));
    mm_json_put(json, "steps", json_integer(source->steps));
    balance_put_price(json, verb, found);
    for (size_t i = 0; i < simulation->count; i++)
        json_array_append_new(policies, result_json(source, &simulation->results[i],
                                                    simulation->results[i].policy->text));
    mm_json_put(json, "policies", policies);
    mm_json_put(json, "oracle", result_json(source, &simulation->oracle, "oracle"));
    mm_json_put(bounds, "means", mm_json_finite(simulation->bounds.means));
    mm_json_put(bounds, "least", mm_json_finite(simulation->bounds.least));
    mm_json_put(json, "bounds", bounds);
    if (found->heavy.steps)
        mm_json_put(json, "unreachable", heavy_json(verb, found));
    return json;
}
