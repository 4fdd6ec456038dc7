/* SPDX-License-Identifier: BSD-3-Clause */
/* plugins.c: policies and prices of a simulation that come from shared objects. */
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"

int balance_plugins_open(const struct balance_verb *verb, struct balance_found *found)
{
    const struct mesh_loads *loads = found->loads;
    struct cca_error err = {0};

    memcpy(found->policies, verb->policies, sizeof found->policies);
    for (size_t i = 0; i < verb->policy_count; i++) {
        if (!verb->policy_words[i])
            continue;
        found->plugins[i] =
            mesh_plugin_open(verb->policy_words[i], MESH_PLUGIN_POLICY,
                             &verb->trace.source, loads->parts, BALANCE_SECONDS, &err);
        if (!found->plugins[i])
            return mm_complain(&err);
        mesh_plugin_policy(found->plugins[i], &found->policies[i]);
        found->policies[i].every = verb->every;
    }
    if (!mesh_plugin_is(verb->repartition_text))
        return -1;
    found->price_plugin =
        mesh_plugin_open(verb->repartition_text, MESH_PLUGIN_COST, &verb->trace.source,
                         loads->parts, BALANCE_SECONDS, &err);
    if (!found->price_plugin)
        return mm_complain(&err);
    mesh_plugin_price(found->price_plugin, loads, &found->price);
    return -1;
}

int balance_plugins_check(const struct balance_verb *verb,
                          const struct balance_found *found)
{
    for (size_t i = 0; i < verb->policy_count; i++)
        if (found->plugins[i] && mesh_plugin_fault(found->plugins[i])->code)
            return mm_complain(mesh_plugin_fault(found->plugins[i]));
    if (found->price_plugin && mesh_plugin_fault(found->price_plugin)->code)
        return mm_complain(mesh_plugin_fault(found->price_plugin));
    return -1;
}

void balance_plugins_close(struct balance_found *found)
{
    for (size_t i = 0; i < BALANCE_POLICIES; i++)
        mesh_plugin_close(found->plugins[i]);
    mesh_plugin_close(found->price_plugin);
}
