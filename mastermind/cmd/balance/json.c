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
    return mm_json_object(
        "policy repartitions cost above_oracle imbalance_mean imbalance_max "
        "loss_mean loss_max cells_moved",
        name, steps_json(source, result->schedule), o->cost, result->above_oracle,
        o->imbalance_mean, o->imbalance_max, o->loss_mean, o->loss_max, o->cells_moved);
}

static json_t *heavy_json(const struct balance_verb *verb,
                          const struct balance_found *found)
{
    return mm_json_object("steps step cell factor", found->heavy.steps,
                          mesh_source_number(&verb->trace.source, found->heavy.worst),
                          found->heavy.cell, found->heavy.factor);
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
    mm_json_set(json, "price price_cell", found->price.repartition, found->price.cell);
}

json_t *balance_json(const struct balance_verb *verb, const struct balance_found *found)
{
    const struct mesh_source *source = &verb->trace.source;
    const struct mesh_simulation *simulation = &found->simulation;
    const struct mm_mesh_probe *probe =
        mesh_profile_probe(verb->trace.profile, verb->trace.probe);
    json_t *json = json_object(), *policies = json_array(), *bounds = json_object();

    mm_json_set(json, "probe unit parts partitioner", probe->name,
                *probe->unit ? mm_json_escaped(probe->unit) : NULL, found->loads->parts,
                verb->partitioner);
    if (verb->zoltan_ranks)
        mm_json_put(json, "zoltan_ranks", json_integer(verb->zoltan_ranks));
    mm_json_put(json, "lag", json_integer(found->loads->lag));
    if (verb->every > 1)
        mm_json_put(json, "every", json_integer(verb->every));
    mm_json_set(json, "first_step last_step steps", source->numbers[0],
                source->numbers[source->steps - 1], source->steps);
    balance_put_price(json, verb, found);
    for (size_t i = 0; i < simulation->count; i++)
        json_array_append_new(policies, result_json(source, &simulation->results[i],
                                                    simulation->results[i].policy->text));
    mm_json_set(json, "policies oracle", policies,
                result_json(source, &simulation->oracle, "oracle"));
    mm_json_set(bounds, "means least", simulation->bounds.means,
                simulation->bounds.least);
    mm_json_put(json, "bounds", bounds);
    if (found->heavy.steps)
        mm_json_put(json, "unreachable", heavy_json(verb, found));
    return json;
}
