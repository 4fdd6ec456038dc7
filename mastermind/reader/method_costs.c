/* SPDX-License-Identifier: BSD-3-Clause */
/* method_costs.c: the cost of recording a call of each method, from experiment.json. */
#include "mastermind/reader/json.h"

#include <stdlib.h>

/* Read a cost in ns; negative values become 0. */
static double read_ns(const json_t *json, const char *name)
{
    double ns = json_number_value(json_object_get(json, name));

    return ns > 0 ? ns : 0;
}

static struct mm_call_cost read_cost(const json_t *json)
{
    return (struct mm_call_cost){.loop_ns = read_ns(json, "loop_ns"),
                                 .cold_ns = read_ns(json, "cold_ns"),
                                 .loop_within_ns = read_ns(json, "loop_within_ns"),
                                 .cold_within_ns = read_ns(json, "cold_within_ns")};
}

static void read_table(const json_t *json, const char *const *names,
                       struct mm_call_cost *costs)
{
    for (int i = 0; names[i]; i++)
        costs[i] = read_cost(json_object_get(json, names[i]));
}

/* Read the cost of an older experiment, which does not distinguish kinds of calls: all
 * get this cost. */
static void read_one_cost(const json_t *overhead, struct mm_call_costs *costs)
{
    double row = read_ns(overhead, "call_ns"), sum = read_ns(overhead, "aggregate_ns"),
           within = read_ns(overhead, "within_ns");

    if (within > row)
        within = 0;
    if (!(sum > 0))
        sum = row;
    for (int kind = 0; kind < MM_ROW_KINDS; kind++) {
        costs->rows[kind] = (struct mm_call_cost){row, row, within, within};
        costs->sums[kind] = (struct mm_call_cost){sum, sum, within, within};
    }
}

void mm_call_costs_read(const json_t *overhead, struct mm_call_costs *costs)
{
    *costs = (struct mm_call_costs){0};
    if (!json_is_object(json_object_get(overhead, "rows"))) {
        read_one_cost(overhead, costs);
        return;
    }
    read_table(json_object_get(overhead, "rows"), mm_row_names, costs->rows);
    read_table(json_object_get(overhead, "aggregates"), mm_row_names, costs->sums);
    read_table(json_object_get(overhead, "entries"), mm_entry_names, costs->entries);
    if (!(costs->rows[MM_ROW_LARGE].loop_ns > 0)) /* older experiments */
        costs->rows[MM_ROW_LARGE] = costs->rows[MM_ROW_MIXED];
    costs->value_ns = read_ns(overhead, "value_ns");
    costs->pace = read_ns(overhead, "pace");
}

struct mm_method_cost mm_method_cost_of(const struct mm_call_costs *costs,
                                        const struct mm_method_info *method)
{
    size_t ints = 0, values = method->value_count;
    enum mm_row_kind kind;
    struct mm_method_cost cost;

    for (size_t i = 0; i < values; i++)
        ints += method->values[i].type == MONITOR_INT64;
    kind = mm_row_kind_of(ints, values, values - mm_method_stored_in(method));
    cost = (struct mm_method_cost){
        .row = mm_call_costs_of(costs, method->entry, kind, values, 0),
        .wide = mm_call_costs_of(costs, method->entry, MM_ROW_LARGE, values, 0),
        /* aggregates have no out-values */
        .sum =
            mm_call_costs_of(costs, method->entry, kind, mm_method_stored_in(method), 1)};
    if (costs->pace > 0) {
        mm_call_cost_scale(&cost.row, costs->pace);
        mm_call_cost_scale(&cost.wide, costs->pace);
        mm_call_cost_scale(&cost.sum, costs->pace);
    }
    return cost;
}

int mm_method_costs_fill(struct mm_experiment *e)
{
    const struct mm_call_cost *pair = &e->costs.rows[MM_ROW_PAIR];

    /* no recording cost is known, because the rows were imported or simulated */
    if (!(pair->loop_ns > 0 || pair->cold_ns > 0))
        return 0;
    e->method_costs = calloc(e->method_count + 1, sizeof *e->method_costs);
    if (!e->method_costs)
        return -1;
    for (size_t i = 0; i < e->method_count; i++)
        e->method_costs[i] = mm_method_cost_of(&e->costs, e->methods[i]);
    return 0;
}
