/* SPDX-License-Identifier: BSD-3-Clause */
/* phases.c: phases that an LBDatafile does not write in full: skipped ones, and ones
 * identical to the previous phase. */
#include "mesh/convert/lbaf/parts.h"

#include <inttypes.h>

#include "common/array.h"
#include "common/find.h"

struct spans {
    struct mesh_lbaf_span *items;
    size_t count;
};

static int add_span(const struct mesh_lbaf_at *at, struct spans *spans, int64_t first,
                    int64_t last)
{
    struct mesh_lbaf_span *span =
        cca_array_add(&spans->items, &spans->count, sizeof *span);

    if (!span)
        return cca_no_memory(at->err);
    *span = (struct mesh_lbaf_span){first, last};
    return 0;
}

static int take_list(const struct mesh_lbaf_at *at, const json_t *lists,
                     struct spans *spans)
{
    const json_t *list = json_object_get(lists, "list"), *item;
    int result = 0;
    size_t i;

    if (list && !json_is_array(list))
        return mesh_lbaf_refuse_member(at, lists, "list", "an array of phases");
    json_array_foreach(list, i, item)
    {
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return mesh_lbaf_refuse_member(at, lists, "list", "an array of phases");
        if ((result =
                 add_span(at, spans, json_integer_value(item), json_integer_value(item))))
            return result;
    }
    return 0;
}

static int take_ranges(const struct mesh_lbaf_at *at, const json_t *lists,
                       struct spans *spans)
{
    const json_t *ranges = json_object_get(lists, "range"), *item;
    int result = 0;
    size_t i;

    if (ranges && !json_is_array(ranges))
        return mesh_lbaf_refuse_member(at, lists, "range", "an array of pairs");
    json_array_foreach(ranges, i, item)
    {
        const json_t *first = json_array_get(item, 0), *last = json_array_get(item, 1);

        if (json_array_size(item) != 2 || !json_is_integer(first) ||
            !json_is_integer(last) || json_integer_value(first) < 0 ||
            json_integer_value(last) < json_integer_value(first))
            return mesh_lbaf_refuse_member(at, lists, "range",
                                           "an array of pairs, first and last phase");
        if ((result = add_span(at, spans, json_integer_value(first),
                               json_integer_value(last))))
            return result;
    }
    return 0;
}

static int by_first(const void *a, const void *b)
{
    const struct mesh_lbaf_span *x = a, *y = b;

    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : (x->last > y->last) - (x->last < y->last);
}

/* Read both lists of a kind; sort them and join adjacent spans. */
static int read_spans(const struct mesh_lbaf_at *at, const json_t *phases,
                      const char *name, struct spans *spans)
{
    const json_t *lists = json_object_get(phases, name);
    size_t kept = 0;
    int result;

    if (!lists)
        return 0;
    if (!json_is_object(lists))
        return mesh_lbaf_refuse_member(at, phases, name, "an object with list and range");
    result = take_list(at, lists, spans);
    if (!result)
        result = take_ranges(at, lists, spans);
    if (result || !spans->count)
        return result;
    qsort(spans->items, spans->count, sizeof *spans->items, by_first);
    for (size_t i = 1; i < spans->count; i++) {
        struct mesh_lbaf_span *last = &spans->items[kept];

        if (spans->items[i].first <= last->last ||
            spans->items[i].first == last->last + 1)
            last->last =
                spans->items[i].last > last->last ? spans->items[i].last : last->last;
        else
            spans->items[++kept] = spans->items[i];
    }
    while (spans->count > kept + 1)
        spans->count--;
    return 0;
}

/* --- Phases of a file ----------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct mesh_lbaf_told *x = a, *y = b;

    return x->id != y->id ? (x->id < y->id ? -1 : 1)
                          : (x->phase > y->phase) - (x->phase < y->phase);
}

static int add_told(const struct mesh_lbaf_at *at, struct mesh_lbaf_told **told,
                    size_t *count, int64_t id, size_t phase)
{
    struct mesh_lbaf_told *added;
    char text[80];

    if (*count == MESH_LBAF_PHASES) {
        snprintf(text, sizeof text, "more than %d phases", MESH_LBAF_PHASES);
        return mesh_lbaf_refuse(at, text, "fewer");
    }
    added = cca_array_add(told, count, sizeof *added);
    if (!added)
        return cca_no_memory(at->err);
    *added = (struct mesh_lbaf_told){id, phase};
    return 0;
}

static int refuse_phase(const struct mesh_lbaf_at *at, const char *found, int64_t id,
                        const char *expected)
{
    char text[120];

    snprintf(text, sizeof text, "%s %" PRId64, found, id);
    return mesh_lbaf_refuse(at, text, expected);
}

/* Merge the phases written in full with the phases identical to a previous phase; both
 * lists ascend. */
static int merge(struct mesh_lbaf_at *at, const struct mesh_lbaf_told *own, size_t count,
                 const struct spans *identical)
{
    struct mesh_lbaf_rank *rank = at->rank;
    size_t next = 0;
    int result = 0;

    for (size_t s = 0; s <= identical->count; s++) {
        const struct mesh_lbaf_span *span =
            s < identical->count ? &identical->items[s] : NULL;

        for (; !result && next < count && (!span || own[next].id < span->first); next++)
            result = add_told(at, &rank->told, &rank->told_count, own[next].id,
                              own[next].phase);
        if (!span || result)
            continue;
        if (next < count && own[next].id <= span->last)
            return refuse_phase(at, "tasks of phase", own[next].id,
                                "none, as 'identical_to_previous' names it");
        if (!rank->told_count || rank->told[rank->told_count - 1].id + 1 != span->first)
            return refuse_phase(at, "'identical_to_previous' phase", span->first,
                                "one whose previous phase is there");
        for (int64_t id = span->first; !result; id++) {
            result = add_told(at, &rank->told, &rank->told_count, id,
                              rank->told[rank->told_count - 1].phase);
            if (id == span->last)
                break;
        }
    }
    return result;
}

static int check_skipped(struct mesh_lbaf_at *at)
{
    const struct mesh_lbaf_rank *rank = at->rank;

    for (size_t i = 0; i < rank->told_count; i++)
        if (mesh_lbaf_skipped(rank, rank->told[i].id))
            return refuse_phase(at, "phase", rank->told[i].id,
                                "none, as 'skipped' names it");
    return 0;
}

int mesh_lbaf_take_lists(struct mesh_lbaf_at *at, const json_t *metadata)
{
    const json_t *phases = json_object_get(metadata, "phases");
    struct mesh_lbaf_rank *rank = at->rank;
    struct spans identical = {0}, skipped = {0};
    struct mesh_lbaf_told *own = NULL;
    size_t count = 0;
    int result = 0;

    at->phase = at->task = -1;
    if (phases && !json_is_object(phases))
        return mesh_lbaf_refuse_member(at, metadata, "phases", "an object");
    for (size_t i = 0; !result && i < rank->phase_count; i++)
        result = add_told(at, &own, &count, rank->phases[i].id, i);
    if (count)
        qsort(own, count, sizeof *own, by_id);
    for (size_t i = 1; !result && i < count; i++)
        if (own[i].id == own[i - 1].id)
            result = refuse_phase(at, "twice phase", own[i].id, "it once");
    if (!result)
        result = read_spans(at, phases, "identical_to_previous", &identical);
    if (!result)
        result = read_spans(at, phases, "skipped", &skipped);
    rank->skipped = skipped.items;
    rank->skipped_count = skipped.count;
    if (!result)
        result = merge(at, own, count, &identical);
    if (!result)
        result = check_skipped(at);
    free(identical.items);
    free(own);
    return result;
}

int mesh_lbaf_skipped(const struct mesh_lbaf_rank *rank, int64_t id)
{
    size_t at;

    CCA_FIND_FIRST(at, rank->skipped_count, rank->skipped[at].last < id);
    return at < rank->skipped_count && rank->skipped[at].first <= id;
}

int64_t mesh_lbaf_told(const struct mesh_lbaf_rank *rank, int64_t id)
{
    size_t at;

    CCA_FIND_FIRST(at, rank->told_count, rank->told[at].id < id);
    return at < rank->told_count && rank->told[at].id == id
               ? (int64_t)rank->told[at].phase
               : MESH_LBAF_ABSENT;
}
