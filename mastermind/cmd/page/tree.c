/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c: calling contexts for the flame graph, the wiring, and sums by rank. */
#include <stdlib.h>

#include "common/sort.h"
#include "mastermind/cmd/page/page.h"

enum {
    CONTEXTS_OF_TIME = 5000
}; /* contexts with less than this share of the total time are omitted */

/* The least inclusive time that a context needs to be on the page; -1: out of memory. */
static int64_t least_total(const struct mm_contexts *contexts)
{
    int64_t *totals, least = contexts->total_ns / CONTEXTS_OF_TIME, first;

    if (contexts->count <= MM_PAGE_CONTEXTS)
        return contexts->count <= CONTEXTS_OF_TIME ? 0 : least;
    totals = malloc(contexts->count * sizeof *totals);
    if (!totals)
        return -1;
    for (size_t i = 0; i < contexts->count; i++)
        totals[i] = contexts->items[i].total_ns;
    qsort(totals, contexts->count, sizeof *totals, cca_order_int64);
    first = totals[contexts->count - 1 - MM_PAGE_CONTEXTS] + 1;
    if (first > least)
        least = first;
    free(totals);
    return least;
}

/* Columns with a row for each context on the page, parents before children; `parent` is
 * the row of the parent. A row with `method` -1 is no method: `names` has its name. */
json_t *mm_page_contexts(const struct mm_page *page)
{
    const struct mm_contexts *c = page->contexts;
    int64_t least = least_total(c), left_out = 0;
    size_t *places = calloc(c->count + 1, sizeof *places), count = 0;
    json_t *object = json_object(), *parents = json_array(), *methods = json_array();
    json_t *calls = json_array(), *exclusive = json_array(), *total = json_array();
    json_t *names = json_object();
    int failed = !places || least < 0;

    for (size_t i = 0; !failed && i < c->count; i++) {
        const struct mm_calling_context *item = &c->items[i];
        char key[32];

        if (item->total_ns < least && item->method) {
            left_out++;
            i += item->extent - 1; /* skip the whole subtree */
            continue;
        }
        places[i] = count++;
        json_array_append_new(parents,
                              json_integer(item->parent == MM_NO_CONTEXT
                                               ? -1
                                               : (json_int_t)places[item->parent]));
        json_array_append_new(
            methods, json_integer(item->method ? (json_int_t)item->method->index : -1));
        json_array_append_new(calls, json_integer((json_int_t)item->calls));
        json_array_append_new(exclusive, json_integer(item->exclusive_ns));
        json_array_append_new(total, json_integer(item->total_ns));
        if (!item->method) {
            snprintf(key, sizeof key, "%zu", count - 1);
            mm_json_put(names, key, json_string(item->name));
        }
    }
    free(places);
    mm_json_set(object,
                "parent method calls exclusive_ns inclusive_ns names left_out least_ns",
                parents, methods, calls, exclusive, total, names, left_out, least);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *ports_json(const struct mm_wiring_port *ports, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array,
                              mm_json_object("name type", ports[i].name, ports[i].type));
    }
    return array;
}

json_t *mm_page_wiring(const struct mm_page *page)
{
    const struct mm_wiring *wiring = page->experiment->wiring;
    json_t *object, *instances = json_array(), *connections = json_array();

    if (!wiring || !wiring->instance_count) {
        json_decref(instances);
        json_decref(connections);
        return NULL;
    }
    for (size_t i = 0; i < wiring->instance_count; i++) {
        const struct mm_instance *from = &wiring->instances[i];
        json_array_append_new(
            instances,
            mm_json_object("name class provides uses", from->name, from->class_name,
                           ports_json(from->provides, from->provides_count),
                           ports_json(from->uses, from->uses_count)));
    }
    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_connection *from = &wiring->connections[i];
        json_array_append_new(connections,
                              mm_json_object("user uses provider provides", from->user,
                                             from->uses, from->provider, from->provides));
    }
    object = json_object();
    mm_json_set(object, "instances connections", instances, connections);
    return object;
}

/* Exclusive times of each rank, indexed by method. */
json_t *mm_page_ranks(const struct mm_page *page)
{
    const struct mm_ranks *ranks = &page->profile->ranks;
    json_t *object, *all = json_array();

    if (ranks->count < 2 || ranks->count > MM_PAGE_RANKS) {
        json_decref(all);
        return NULL;
    }
    for (size_t i = 0; i < ranks->method_count; i++) {
        json_t *sums = json_array();

        for (int rank = 0; rank < ranks->count; rank++)
            json_array_append_new(
                sums,
                json_integer(
                    ranks->sums[(size_t)rank * ranks->method_count + i].exclusive_ns));
        json_array_append_new(all, sums);
    }
    object = json_object();
    mm_json_set(object, "count exclusive_ns", ranks->count, all);
    return object;
}
