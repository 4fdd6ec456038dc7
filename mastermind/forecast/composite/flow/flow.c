/* SPDX-License-Identifier: BSD-3-Clause */
/* flow.c: propagate calls from the threads down, with calls per invocation of the base or
 * of a donor. */
#include "mastermind/forecast/composite/flow/flow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/forecast/composite/flow/compare.h"

#define SWEEPS 1000
#define STILL 1e-12 /* relative change of a sweep that ends them */

static int is_node(const struct mm_flow_node *a, const struct mm_call_node *b)
{
    return mm_node_order(&a->node, b) == 0;
}

/* The first node of the base that is not before `node`. */
static size_t node_position(const struct mm_flow *flow, const struct mm_call_node *node)
{
    size_t low = 0, high = flow->base_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (mm_node_order(&flow->nodes[middle].node, node) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place of a further node, taken or free. */
static size_t further_slot(const struct mm_flow *flow, const struct mm_call_node *node)
{
    size_t mask = flow->further_size - 1;
    size_t slot = (size_t)(node->key ^ node->key >> 29 ^ node->vertex * 7919) & mask;

    while (flow->further[slot] && !is_node(&flow->nodes[flow->further[slot] - 1], node))
        slot = (slot + 1) & mask;
    return slot;
}

/* Make room for another further node. */
static int further_reserve(struct mm_flow *flow)
{
    size_t size = flow->further_size ? 2 * flow->further_size : 64;

    if (2 * (flow->count - flow->base_count + 1) <= flow->further_size)
        return 0;
    free(flow->further);
    flow->further = calloc(size, sizeof *flow->further);
    flow->further_size = flow->further ? size : 0;
    if (!flow->further)
        return -ENOMEM;
    for (size_t i = flow->base_count; i < flow->count; i++)
        flow->further[further_slot(flow, &flow->nodes[i].node)] = (uint32_t)i + 1;
    return 0;
}

/* Index of a node, or flow->count. */
static size_t find_node(const struct mm_flow *flow, const struct mm_call_node *node)
{
    size_t low = node_position(flow, node), slot;

    if (low < flow->base_count && is_node(&flow->nodes[low], node))
        return low;
    slot = flow->further_size ? further_slot(flow, node) : 0;
    return flow->further_size && flow->further[slot] ? flow->further[slot] - 1
                                                     : flow->count;
}

static int node_order(const void *left, const void *right)
{
    const struct mm_flow_node *a = left, *b = right;

    return mm_node_order(&a->node, &b->node);
}

static int add_base_node(struct mm_flow *flow, struct mm_call_node node, double calls,
                         const struct mm_point *point)
{
    struct mm_flow_node *added = cca_array_add(&flow->nodes, &flow->count, sizeof *added);

    if (!added)
        return -ENOMEM;
    *added = (struct mm_flow_node){.node = node,
                                   .in = point ? point->in : NULL,
                                   .was = calls,
                                   .now = calls,
                                   .point = point};
    return 0;
}

static int add_base_nodes(struct mm_flow *flow, const struct mm_profile *base)
{
    struct mm_call_node thread = {base->dual->thread_vertex, MM_NO_KEY};
    struct mm_call_node lost = {base->dual->lost_vertex, MM_NO_KEY};

    for (size_t v = 0; v < base->source.method_count; v++) {
        const struct mm_points *points = &base->points[v];

        if (points->unknown && add_base_node(flow, (struct mm_call_node){v, MM_NO_KEY},
                                             (double)points->unknown, NULL) < 0)
            return -ENOMEM;
        for (size_t i = 0; i < points->count; i++) {
            const struct mm_point *point = &points->points[i];
            uint64_t key = mm_in_values_hash(point->in, points->method->in_count);

            if (add_base_node(flow, (struct mm_call_node){v, key}, (double)point->calls,
                              point) < 0)
                return -ENOMEM;
        }
    }
    if (add_base_node(flow, thread, 1, NULL) < 0 ||
        add_base_node(flow, lost, 1, NULL) < 0)
        return -ENOMEM;
    qsort(flow->nodes, flow->count, sizeof *flow->nodes, node_order);
    flow->base_count = flow->count;
    return 0;
}

/* Add a node that only a donor has. */
static int add_further_node(struct mm_flow *flow, const struct mm_donor *donor,
                            const struct mm_call_node *node)
{
    const struct mm_method_info *method = donor->base->source.methods[node->vertex];
    struct mm_call_node own;
    const struct mm_point *point;
    struct mm_flow_node *added;

    if (further_reserve(flow) < 0 || add_base_node(flow, *node, 0, NULL) < 0)
        return -ENOMEM;
    added = &flow->nodes[flow->count - 1];
    flow->further[further_slot(flow, node)] = (uint32_t)flow->count;
    point = mm_donor_node(donor, node, &own) ? mm_donor_point(donor, &own) : NULL;
    if (!point)
        return 0;
    added->given = point;
    added->owned = calloc(method->in_count + 1, sizeof *added->owned);
    if (!added->owned)
        return -ENOMEM;
    mm_values_map(method, donor->profile->source.methods[own.vertex], point->in,
                  added->owned);
    added->in = added->owned;
    return 0;
}

static int add_call(struct mm_flow *flow, size_t callee, double rate)
{
    struct mm_flow_call *call =
        cca_array_add(&flow->calls, &flow->call_count, sizeof *call);

    if (!call)
        return -ENOMEM;
    *call = (struct mm_flow_call){callee, rate};
    return 0;
}

/* --- Calls of each node ------------------------------------------------------ */

/* Calls of a node as the base made them. */
static int keep_calls(struct mm_flow *flow, size_t at, const struct mm_profile *base)
{
    size_t count;
    const struct mm_count *made =
        mm_counts_of(&base->counts, &flow->nodes[at].node, &count);

    for (size_t i = 0; i < count; i++)
        if (add_call(flow, find_node(flow, &made[i].callee),
                     (double)made[i].calls / flow->nodes[at].was) < 0)
            return -ENOMEM;
    return 0;
}

/* Calls of a node as donors made them; `given` are their points. */
static int take_calls(struct mm_flow *flow, size_t at, const struct mm_rates *rates,
                      const struct mm_donor *donor)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct mm_rate *rate = &rates->items[i];
        struct mm_call_node own;
        size_t callee;

        if (!(rate->mean[0] > 0))
            continue;
        if (rate->callee.vertex == MM_NO_VERTEX) {
            flow->beside_ns += flow->nodes[at].was * rate->beside_ns;
            continue;
        }
        callee = find_node(flow, &rate->callee);
        if (callee == flow->count && add_further_node(flow, donor, &rate->callee) < 0)
            return -ENOMEM;
        if (mm_donor_node(donor, &rate->callee, &own) && !flow->nodes[callee].given)
            flow->nodes[callee].given = mm_donor_point(donor, &own);
        flow->nodes[callee].spread +=
            flow->nodes[at].was * (rate->most[0] - rate->least[0]) / 2;
        if (add_call(flow, callee, rate->mean[0]) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Gather the calls of all nodes; nodes that only donors have are added on the way. */
static int gather_calls(struct mm_flow *flow, const struct mm_profile *base,
                        const struct mm_comparison *comparison)
{
    int result = 0;

    for (size_t at = 0; at < flow->count && !result; at++) {
        struct mm_call_node node = flow->nodes[at].node;
        const struct mm_taken *taken = mm_comparison_find(comparison, &node);
        size_t first = flow->call_count;
        struct mm_call_node own;

        if (taken) {
            flow->nodes[at].changed = 1;
            if (mm_donor_node(taken->donor, &node, &own))
                flow->nodes[at].given = mm_donor_point(taken->donor, &own);
            result = take_calls(flow, at, &taken->rates, taken->donor);
        } else if (at < flow->base_count) {
            result = keep_calls(flow, at, base);
        } else {
            const struct mm_donor *donor = comparison->first;
            struct mm_rates rates;

            result = mm_rates_init(&rates, &node, 0, &donor, 1, NULL, 0);
            if (!result)
                result = take_calls(flow, at, &rates, donor);
            if (!result)
                mm_rates_done(&rates);
        }
        flow->nodes[at].first = first;
        flow->nodes[at].count = flow->call_count - first;
    }
    return result;
}

/* --- Propagation -------------------------------------------------------------- */

static void sum_in(const struct mm_flow *flow, double *in)
{
    memset(in, 0, flow->count * sizeof *in);
    for (size_t i = 0; i < flow->count; i++) {
        const struct mm_flow_node *node = &flow->nodes[i];

        for (size_t k = node->first; k < node->first + node->count; k++)
            in[flow->calls[k].callee] += node->now * flow->calls[k].rate;
    }
}

/* Calls into each node in the base. */
static void sum_base(const struct mm_flow *flow, const struct mm_profile *base,
                     double *in)
{
    memset(in, 0, flow->count * sizeof *in);
    for (size_t i = 0; i < base->counts.count; i++) {
        size_t at = find_node(flow, &base->counts.items[i].callee);

        if (at < flow->count)
            in[at] += (double)base->counts.items[i].calls;
    }
}

static int propagate(struct mm_flow *flow, const struct mm_profile *base)
{
    double *in = calloc(2 * flow->count + 1, sizeof *in), *before = in + flow->count;
    int moving = 1;

    if (!in)
        return -ENOMEM;
    sum_base(flow, base, before);
    for (int sweep = 0; moving && sweep < SWEEPS; sweep++) {
        moving = 0;
        sum_in(flow, in);
        for (size_t i = 0; i < flow->count; i++) {
            struct mm_flow_node *node = &flow->nodes[i];
            double change = in[i] - before[i], now;

            if (fabs(change) <= 1e-9 * fmax(node->was, 1))
                change = 0; /* rates are quotients: rounding */
            now = fmax(node->was + change, 0);
            moving |= fabs(now - node->now) > STILL * fmax(now, node->now);
            node->now = now;
        }
    }
    flow->doubted |= moving;
    for (size_t i = 0; i < flow->count; i++)
        flow->changed |= flow->nodes[i].now != flow->nodes[i].was;
    free(in);
    return 0;
}

struct mm_flow *mm_flow_new(const struct mm_profile *base,
                            struct mm_profile *const *profiles, size_t profile_count,
                            const struct mm_substitution *substitutions, size_t count,
                            struct mm_notes *notes)
{
    struct mm_flow *flow = calloc(1, sizeof *flow);
    struct mm_comparison comparison = {0};

    if (!flow)
        return NULL;
    if (add_base_nodes(flow, base) < 0)
        goto fail;
    if (!count)
        return flow;
    if (mm_comparison_init(&comparison, base, profiles, profile_count, substitutions,
                           count, notes) < 0)
        goto fail;
    flow->doubted = comparison.doubted;
    flow->without_donors = comparison.without_donors;
    if (comparison.taken_count &&
        (gather_calls(flow, base, &comparison) < 0 || propagate(flow, base) < 0))
        goto fail;
    mm_comparison_done(&comparison);
    return flow;
fail:
    mm_comparison_done(&comparison);
    mm_flow_free(flow);
    return NULL;
}

const struct mm_flow_node *mm_flow_next(const struct mm_flow *flow, size_t vertex,
                                        const struct mm_flow_node *before)
{
    struct mm_call_node first = {vertex, 0};
    size_t at = before ? (size_t)(before - flow->nodes) + 1 : node_position(flow, &first);

    if (at < flow->base_count && flow->nodes[at].node.vertex != vertex)
        at = flow->base_count;
    while (at < flow->count && flow->nodes[at].node.vertex != vertex)
        at++;
    return at < flow->count ? &flow->nodes[at] : NULL;
}

double mm_flow_calls(const struct mm_flow *flow, size_t vertex)
{
    double calls = 0;

    for (const struct mm_flow_node *node = mm_flow_next(flow, vertex, NULL); node;
         node = mm_flow_next(flow, vertex, node))
        calls += node->now;
    return calls;
}

void mm_flow_free(struct mm_flow *flow)
{
    if (!flow)
        return;
    for (size_t i = flow->base_count; i < flow->count; i++)
        free(flow->nodes[i].owned);
    free(flow->nodes);
    free(flow->further);
    free(flow->calls);
    free(flow);
}
