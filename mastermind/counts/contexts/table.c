/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c: a table of contexts: find, add up, order, fold. */
#include "mastermind/counts/contexts/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"

static size_t find_place(const struct mm_context_table *t, size_t parent, uint32_t vertex)
{
    uint64_t hash = ((uint64_t)parent + 1) * 0x9e3779b97f4a7c15u ^
                    ((uint64_t)vertex + 1) * 0xbf58476d1ce4e5b9u;
    size_t at = (size_t)(hash ^ hash >> 29) & (t->room - 1);

    while (t->places[at] && (t->items[t->places[at] - 1].parent != parent ||
                             t->items[t->places[at] - 1].vertex != vertex))
        at = (at + 1) & (t->room - 1);
    return at;
}

static int table_grow(struct mm_context_table *t)
{
    size_t room = t->room ? 2 * t->room : 64;
    uint32_t *places;

    while (room < 2 * (t->count + 1)) /* after mm_context_table_order the hash table is
                                         empty, but there may be many contexts */
        room *= 2;
    places = calloc(room, sizeof *places);
    if (!places)
        return -ENOMEM;
    free(t->places);
    t->places = places;
    t->room = room;
    for (size_t i = 0; i < t->count; i++)
        places[find_place(t, t->items[i].parent, t->items[i].vertex)] = (uint32_t)i + 1;
    return 0;
}

size_t mm_context_table_of(struct mm_context_table *t, size_t parent, uint32_t vertex)
{
    struct mm_calling_context *context;
    size_t place;

    if (2 * (t->count + 1) > t->room && table_grow(t))
        return MM_NO_CONTEXT;
    place = find_place(t, parent, vertex);
    if (t->places[place])
        return t->places[place] - 1;
    context = t->count == UINT32_MAX
                  ? NULL
                  : cca_array_add(&t->items, &t->count, sizeof *context);
    if (!context)
        return MM_NO_CONTEXT;
    context->parent = parent;
    context->vertex = vertex;
    t->places[place] = (uint32_t)t->count;
    return t->count - 1;
}

int mm_context_table_add(struct mm_context_table *t, size_t at,
                         const struct mm_context_cell *cell)
{
    struct mm_calling_context *context = &t->items[at];
    struct mm_context_cell *cells = context->cells;
    size_t low;

    CCA_FIND_FIRST(low, context->cell_count,
                   cells[low].rank < cell->rank ||
                       (cells[low].rank == cell->rank && cells[low].mode < cell->mode));
    if (low == context->cell_count || cells[low].rank != cell->rank ||
        cells[low].mode != cell->mode) {
        if (cca_array_reserve(&context->cells, context->cell_count, sizeof *cells))
            return -ENOMEM;
        cells = context->cells;
        memmove(cells + low + 1, cells + low,
                (context->cell_count - low) * sizeof *cells);
        context->cell_count++;
        cells[low] = *cell;
        return 0;
    }
    cells[low].calls += cell->calls;
    cells[low].open += cell->open;
    cells[low].exclusive_ns += cell->exclusive_ns;
    return 0;
}

/* --- Order ----------------------------------------------------------------- */

static void contexts_add_up(struct mm_context_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct mm_calling_context *c = &t->items[i];

        c->calls = c->open = 0;
        c->exclusive_ns = 0;
        for (size_t k = 0; k < c->cell_count; k++) {
            c->calls += c->cells[k].calls;
            c->open += c->cells[k].open;
            c->exclusive_ns += c->cells[k].exclusive_ns;
        }
        c->total_ns = c->exclusive_ns;
        c->extent = 1;
    }
    for (size_t i = t->count; i-- > 0;) {
        struct mm_calling_context *c = &t->items[i];

        if (c->parent == MM_NO_CONTEXT)
            continue;
        t->items[c->parent].total_ns += c->total_ns;
        t->items[c->parent].extent += c->extent;
    }
}

/* A calling context to be sorted among its siblings. */
struct sibling {
    size_t at, parent;
    int64_t total_ns;
    uint32_t vertex;
};

static int sibling_order(const void *left, const void *right)
{
    const struct sibling *a = left, *b = right;

    if (a->parent != b->parent) /* contexts without a parent (MM_NO_CONTEXT) come first */
        return a->parent + 1 < b->parent + 1 ? -1 : 1;
    if (a->parent != MM_NO_CONTEXT && a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

int mm_context_table_order(struct mm_context_table *t)
{
    struct sibling *siblings = calloc(t->count + 1, sizeof *siblings);
    struct mm_calling_context *items = calloc(t->count + 1, sizeof *items);
    /* The new index of each context, and the next free index in each context's subtree.
     */
    size_t *place = calloc(t->count + 1, sizeof *place);
    size_t *next = calloc(t->count + 1, sizeof *next);
    size_t roots = 0;
    int result = -ENOMEM;

    if (!siblings || !items || !place || !next)
        goto done;
    contexts_add_up(t);
    for (size_t i = 0; i < t->count; i++)
        siblings[i] = (struct sibling){i, t->items[i].parent, t->items[i].total_ns,
                                       t->items[i].vertex};
    if (t->count)
        qsort(siblings, t->count, sizeof *siblings, sibling_order);
    /* Assign indexes from parents to children: a parent's index is below its children's.
     */
    for (size_t i = 0; i < t->count; i++) {
        size_t at = siblings[i].at, parent = siblings[i].parent;
        size_t *free_place = parent == MM_NO_CONTEXT ? &roots : &next[parent];

        place[at] = *free_place;
        *free_place += t->items[at].extent;
        next[at] = place[at] + 1;
    }
    for (size_t i = 0; i < t->count; i++) {
        struct mm_calling_context *c = &items[place[i]];

        *c = t->items[i];
        c->depth = 0;
        if (c->parent != MM_NO_CONTEXT)
            c->parent = place[c->parent];
    }
    for (size_t i = 0; i < t->count; i++)
        if (items[i].parent != MM_NO_CONTEXT)
            items[i].depth = items[items[i].parent].depth + 1;
    if (t->count)
        memcpy(t->items, items, t->count * sizeof *items);
    free(t->places);
    t->places = NULL;
    t->room = 0;
    result = 0;
done:
    free(siblings);
    free(items);
    free(place);
    free(next);
    return result;
}

/* --- Fold ------------------------------------------------------------------ */

/* Path to the current context: the new contexts, and flags for the first occurrence of a
 * vertex. */
struct fold {
    struct mm_context_table table;
    size_t *target; /* [count of the old table] new context of each old one */
    size_t *path;   /* old contexts on the path from the root */
    size_t *outer;  /* [methods] 1 + new context of the outermost activation, or 0 */
    uint32_t methods;
};

/* Map an old context that is no recursive call to its new one. <not recorded> is made
 * only with a call below it, because that call may be folded away. */
static size_t fold_target(struct fold *fold, const struct mm_context_table *old,
                          size_t at)
{
    const struct mm_calling_context *c = &old->items[at];
    size_t parent = c->parent;

    if (parent == MM_NO_CONTEXT)
        return mm_context_table_of(&fold->table, MM_NO_CONTEXT, c->vertex);
    if (fold->target[parent] == MM_NO_CONTEXT)
        fold->target[parent] =
            mm_context_table_of(&fold->table, fold->target[old->items[parent].parent],
                                old->items[parent].vertex);
    if (fold->target[parent] == MM_NO_CONTEXT)
        return MM_NO_CONTEXT;
    return mm_context_table_of(&fold->table, fold->target[parent], c->vertex);
}

static int fold_context(struct fold *fold, const struct mm_context_table *old, size_t at)
{
    const struct mm_calling_context *c = &old->items[at];
    int is_call = c->vertex < fold->methods;
    size_t target;

    fold->target[at] = MM_NO_CONTEXT;
    if (!is_call && c->parent != MM_NO_CONTEXT)
        return 0;
    target = is_call && fold->outer[c->vertex] ? fold->outer[c->vertex] - 1
                                               : fold_target(fold, old, at);
    if (target == MM_NO_CONTEXT)
        return -ENOMEM;
    if (is_call && !fold->outer[c->vertex]) {
        fold->outer[c->vertex] = target + 1;
        fold->path[c->depth] = at;
    }
    fold->target[at] = target;
    for (size_t k = 0; k < c->cell_count; k++)
        if (mm_context_table_add(&fold->table, target, &c->cells[k]))
            return -ENOMEM;
    return 0;
}

int mm_context_table_fold(struct mm_context_table *t, uint32_t methods)
{
    struct fold fold = {.target = calloc(t->count + 1, sizeof *fold.target),
                        .path = calloc(t->count + 1, sizeof *fold.path),
                        .outer = calloc((size_t)methods + 1, sizeof *fold.outer),
                        .methods = methods};
    int result = fold.target && fold.path && fold.outer ? 0 : -ENOMEM;
    size_t depth = 0; /* length of the path */

    for (size_t i = 0; i < t->count && !result; i++) {
        /* pop contexts that are no ancestors of context `i` */
        while (depth > t->items[i].depth) {
            size_t left = fold.path[--depth];

            if (left != MM_NO_CONTEXT)
                fold.outer[t->items[left].vertex] = 0;
        }
        /* placeholder: the vertex (method) adds no context if it is on the path already
         */
        fold.path[depth++] = MM_NO_CONTEXT;
        result = fold_context(&fold, t, i);
    }
    if (!result) {
        mm_context_table_done(t);
        *t = fold.table;
    } else {
        mm_context_table_done(&fold.table);
    }
    free(fold.target);
    free(fold.path);
    free(fold.outer);
    return result;
}

void mm_context_table_done(struct mm_context_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].cells);
    free(t->items);
    free(t->places);
    *t = (struct mm_context_table){0};
}
