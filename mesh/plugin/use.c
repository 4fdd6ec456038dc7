/* SPDX-License-Identifier: BSD-3-Clause */
/* use.c: use a plug-in as policy, partitioner or price. */
#include "mesh/plugin/use.h"

#include <stdlib.h>
#include <string.h>

/* --- A policy. --- */

static void policy_begin(void *context)
{
    (void)mesh_plugin_begin(context); /* the plug-in keeps an error, which `decide`
                                       * returns */
}

static int policy_decide(void *context, const struct mesh_seen *seen)
{
    struct mesh_plugin *plugin = context;
    struct mesh_balance_seen told = {.step = seen->step,
                                     .age = seen->age,
                                     .largest = seen->largest,
                                     .mean = seen->mean,
                                     .fresh = seen->fresh,
                                     .price = seen->price,
                                     .remaining = seen->remaining,
                                     .past_count = seen->past_count};
    size_t bytes = (size_t)seen->past_count * sizeof *seen->past;
    int rc =
        mesh_plugin_ask(plugin, MESH_ASK_DECIDE, seen->past_count, &told, sizeof told);

    if (!rc)
        rc = mesh_plugin_send(plugin, seen->past, bytes);
    if (!rc)
        rc = mesh_plugin_send(plugin, seen->past_price, bytes);
    return rc ? rc : mesh_plugin_answer(plugin);
}

void mesh_plugin_policy(struct mesh_plugin *plugin, struct mesh_policy *policy)
{
    struct mesh_decider decider = {
        .begin = policy_begin, .decide = policy_decide, .context = plugin};

    mesh_policy_plug(policy, plugin->word, &decider);
}

/* --- A partitioner. --- */

static int take_owners(struct mesh_plugin *plugin, int64_t cells, int parts)
{
    int rc = mesh_plugin_receive(plugin, plugin->owners,
                                 (size_t)cells * sizeof *plugin->owners);
    char what[96];

    for (int64_t c = 0; !rc && c < cells; c++) {
        if (plugin->owners[c] < 0 || plugin->owners[c] >= parts) {
            snprintf(what, sizeof what, "found owner %d of cell %lld, expected 0 to %d",
                     (int)plugin->owners[c], (long long)c, parts - 1);
            return mesh_plugin_refuse(plugin, what);
        }
        plugin->narrow[c] = (uint16_t)plugin->owners[c];
    }
    return rc;
}

static int cut(void *context, const struct mesh_source *source, const float *weights,
               int parts, const struct mesh_partition *before, struct mesh_partition *out,
               struct cca_error *err)
{
    struct mesh_plugin *plugin = context;
    int64_t cells = mesh_source_cells(source);
    size_t bytes = (size_t)cells * sizeof *plugin->owners;
    int rc;

    if (!plugin->owners)
        plugin->owners = malloc(bytes);
    if (!plugin->narrow)
        plugin->narrow = malloc((size_t)cells * sizeof *plugin->narrow);
    if (!plugin->owners || !plugin->narrow)
        return cca_no_memory(err);
    rc = mesh_plugin_ask(plugin, MESH_ASK_CUT, before != NULL, weights,
                         (size_t)cells * sizeof *weights);
    if (!rc && before) {
        mesh_partition_owners(source, before, plugin->narrow);
        for (int64_t c = 0; c < cells; c++)
            plugin->owners[c] = plugin->narrow[c];
        rc = mesh_plugin_send(plugin, plugin->owners, bytes);
    }
    if (!rc)
        rc = mesh_plugin_answer(plugin);
    if (!rc)
        rc = take_owners(plugin, cells, parts);
    if (rc)
        return cca_error_set(err, rc, "%s", plugin->fault.text);
    return mesh_partition_make(source, plugin->narrow, parts, out);
}

static void close_plugin(void *context)
{
    mesh_plugin_close(context);
}

void mesh_plugin_partitioner(struct mesh_plugin *plugin,
                             struct mesh_partitioner *partitioner)
{
    *partitioner = (struct mesh_partitioner){plugin->word, cut, plugin, close_plugin};
}

/* --- A price. --- */

/* Request the costs of `count` moves; `costs` are 0 after an error. */
static void ask_costs(struct mesh_plugin *plugin, const struct mesh_balance_move *moves,
                      int64_t count, double *costs)
{
    int rc = mesh_plugin_ask(plugin, MESH_ASK_COST, count, moves,
                             (size_t)count * sizeof *moves);
    char what[96];

    if (!rc)
        rc = mesh_plugin_answer(plugin);
    if (!rc)
        rc = mesh_plugin_receive(plugin, costs, (size_t)count * sizeof *costs);
    for (int64_t i = 0; !rc && i < count; i++)
        if (!(costs[i] >= 0 && costs[i] <= 1e300)) {
            snprintf(what, sizeof what,
                     "found cost %g of %lld cells before step %lld, expected at least 0",
                     costs[i], (long long)moves[i].moved, (long long)moves[i].step);
            rc = mesh_plugin_refuse(plugin, what);
        }
    if (rc)
        memset(costs, 0, (size_t)count * sizeof *costs);
}

static struct mesh_balance_move move_to(const struct mesh_loads *loads, int64_t t,
                                        int64_t moved)
{
    return (struct mesh_balance_move){
        .step = t, .moved = moved, .cells = loads->cells, .mean = loads->mean[t]};
}

/* Request the costs of all repartitions before step t at once: a request takes some
 * microseconds, and the optimum needs all pairs of steps. Returns 0, or 1: no memory. */
static int fill_costs(struct mesh_plugin *plugin, int64_t t)
{
    const struct mesh_loads *loads = plugin->loads;
    struct mesh_balance_move *moves = calloc((size_t)t, sizeof *moves);
    double *costs = calloc((size_t)t, sizeof *costs);

    if (moves && costs) {
        for (int64_t s = 0; s < t; s++)
            moves[s] = move_to(loads, t, mesh_moved(loads, s, t));
        ask_costs(plugin, moves, t, costs);
        for (int64_t s = 0; s < t; s++)
            plugin->costs[s * loads->steps + t] = costs[s];
        plugin->filled[t] = 1;
    }
    free(moves);
    free(costs);
    return !plugin->filled[t];
}

static double price_of(void *context, const struct mesh_price *price, int64_t s,
                       int64_t t, int64_t moved)
{
    struct mesh_plugin *plugin = context;
    const struct mesh_loads *loads = plugin->loads;
    double cost = 0;

    (void)price;
    if (plugin->costs && plugin->filled && s < t && moved == mesh_moved(loads, s, t) &&
        (plugin->filled[t] || fill_costs(plugin, t) == 0))
        return plugin->costs[s * loads->steps + t];
    ask_costs(plugin, &(struct mesh_balance_move){t, moved, loads->cells, loads->mean[t]},
              1, &cost);
    return cost;
}

void mesh_plugin_price(struct mesh_plugin *plugin, const struct mesh_loads *loads,
                       struct mesh_price *price)
{
    size_t steps = (size_t)loads->steps;

    free(plugin->costs);
    free(plugin->filled);
    plugin->loads = loads;
    /* if no memory for all costs is left, costs are requested one by one */
    plugin->costs = malloc(steps * steps * sizeof *plugin->costs);
    plugin->filled = calloc(steps, 1);
    memset(price, 0, sizeof *price);
    price->function = price_of;
    price->context = plugin;
}
