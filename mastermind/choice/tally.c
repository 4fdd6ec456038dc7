/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c: cache of short forecasts of assemblies. */
#include "mastermind/choice/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int mm_tally_init(struct mm_cost_tally *tally, const struct mm_open_asked *asked,
                  const struct mm_open_slot *slots, size_t slot_count)
{
    *tally = (struct mm_cost_tally){
        .forecaster = asked->forecaster,
        .text = asked->text,
        .slots = slots,
        .slot_count = slot_count,
        .vertex_count = mm_forecaster_structure(asked->forecaster)->cells.vertex_count,
        .own =
            calloc(mm_forecaster_axes(asked->forecaster)->count + 1, sizeof *tally->own)};
    return tally->own ? 0 : -ENOMEM;
}

static void free_item(struct mm_tallied *item)
{
    if (!item)
        return;
    free(item->at);
    free(item->costs);
    free(item);
}

void mm_tally_done(struct mm_cost_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        free_item(tally->items[i]);
    free(tally->items);
    free(tally->own);
}

struct mm_forecast *mm_tally_forecast(struct mm_cost_tally *tally, const size_t *at,
                                      struct cca_error *err)
{
    size_t axes = mm_forecaster_axes(tally->forecaster)->count;

    memcpy(tally->own, tally->text, axes * sizeof *tally->own);
    for (size_t i = 0; i < tally->slot_count; i++)
        tally->own[tally->slots[i].axis] = tally->slots[i].classes[at[i]].name;
    return mm_forecast_new(tally->forecaster, tally->own, err);
}

/* Copy costs and the first reason of an unknown cost from a forecast. Returns 0 or
 * -ENOMEM. */
static int take(struct mm_cost_tally *tally, struct mm_tallied *item,
                const struct mm_forecast *forecast)
{
    const struct mm_cells *cells = &mm_forecaster_structure(forecast->by)->cells;

    item->costs = calloc(tally->vertex_count + 1, sizeof *item->costs);
    if (!item->costs)
        return -ENOMEM;
    item->low_ns = forecast->low_ns;
    item->high_ns = forecast->high_ns;
    item->total_ns = forecast->unknown ? NAN : forecast->total_ns;
    item->costs[tally->vertex_count] = item->total_ns;
    for (size_t i = forecast->part_count; i-- > 0;) {
        const struct mm_forecast_part *part = &forecast->parts[i];

        if (part->vertex >= tally->vertex_count)
            continue;
        item->costs[part->vertex] = part->cost_ns;
        item->costs[tally->vertex_count] -= part->cost_ns;
        if (!isnan(part->cost_ns))
            continue;
        item->unknown = part->vertex;
        snprintf(item->why, sizeof item->why, "%.140s%s%.240s",
                 cells->vertices[part->vertex].name, *part->why ? ": " : "", part->why);
    }
    if (isnan(item->total_ns) && !*item->why)
        snprintf(item->why, sizeof item->why, "%.390s",
                 *forecast->waiting.why ? forecast->waiting.why : forecast->transfer.why);
    return 0;
}

static int add(struct mm_cost_tally *tally, const size_t *at, struct cca_error *err)
{
    struct mm_tallied *item = calloc(1, sizeof *item);
    struct cca_error own = {0};
    struct mm_forecast *forecast;
    int result = 0;

    if (!item || cca_array_reserve(&tally->items, tally->count, sizeof item)) {
        free(item);
        return cca_no_memory(err);
    }
    tally->items[tally->count++] = item;
    item->total_ns = item->low_ns = item->high_ns = NAN;
    item->unknown = tally->vertex_count;
    item->at = calloc(tally->slot_count + 1, sizeof *at);
    if (!item->at)
        return cca_no_memory(err);
    memcpy(item->at, at, tally->slot_count * sizeof *at);
    forecast = mm_tally_forecast(tally, at, &own);
    if (forecast)
        result = take(tally, item, forecast);
    else if (own.code == -ENODATA)
        snprintf(item->why, sizeof item->why, "%.390s", own.text);
    else
        result = own.code;
    mm_forecast_free(forecast);
    return result ? cca_error_set(err, result, "%s", *own.text ? own.text : "no memory")
                  : 0;
}

const struct mm_tallied *mm_tally_cost(struct mm_cost_tally *tally, const size_t *at,
                                       struct cca_error *err)
{
    for (size_t i = 0; i < tally->count; i++)
        if (memcmp(tally->items[i]->at, at, tally->slot_count * sizeof *at) == 0)
            return tally->items[i];
    return add(tally, at, err) ? NULL : tally->items[tally->count - 1];
}
