/* SPDX-License-Identifier: BSD-3-Clause */
/* contexts.c: build calling contexts in one walk over the rows. */
#include "mastermind/counts/contexts/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/counts/contexts/below.h"
#include "mastermind/counts/contexts/table.h"

/* Largest mean number of cells per context; with more, recursion is folded. */
enum { CELLS_PER_CONTEXT = 4 };

struct mm_contexts_state {
    struct mm_context_table table;
    struct mm_below below; /* calls of the current thread */
    int rank, thread, walking;
    size_t most;
    uint32_t *stack; /* scratch memory: vertices of an aggregate's path, or nodes to
                        add */
    size_t stack_room;
    size_t *parents; /* parents of the nodes on the stack */
    size_t parent_room;
};

/* Make an empty set of contexts. `source` gives the methods and must outlive them. The
 * result is new, or NULL with `err`. */
static struct mm_contexts *mm_contexts_new(const struct mm_row_source *source,
                                           const struct mm_contexts_options *options,
                                           struct cca_error *err)
{
    struct mm_contexts *c = calloc(1, sizeof *c);

    if (!c || !(c->state = calloc(1, sizeof *c->state)) ||
        !(c->modes = calloc(source->method_count + 1, sizeof *c->modes)) ||
        mm_below_init(&c->state->below, (uint32_t)source->method_count + 1,
                      options && options->fold)) {
        cca_no_memory(err);
        mm_contexts_free(c);
        return NULL;
    }
    c->method_count = source->method_count;
    for (size_t i = 0; i < source->method_count; i++)
        c->modes[i].method = source->methods[i];
    c->thread_vertex = (uint32_t)source->method_count;
    c->lost_vertex = c->thread_vertex + 1;
    c->other_vertex = c->thread_vertex + 2;
    c->folded = options && options->fold;
    c->state->most = options && options->most ? options->most : MM_CONTEXTS_MOST;
    return c;
}

/* --- Too many contexts ------------------------------------------------------ */

static int contexts_are_full(const struct mm_contexts_state *s)
{
    return s->table.count + s->below.nodes_used > s->most ||
           s->below.cells_used / CELLS_PER_CONTEXT > s->most;
}

/* Fold recursive calls if there are too many contexts. Returns 0, -ENOMEM or -EOVERFLOW.
 */
static int contexts_bound(struct mm_contexts *c)
{
    struct mm_contexts_state *s = c->state;

    if (!contexts_are_full(s))
        return 0;
    if (c->folded)
        return -EOVERFLOW;
    c->folded = c->overflow = 1;
    if (mm_below_fold(&s->below) || mm_context_table_order(&s->table) ||
        mm_context_table_fold(&s->table, c->thread_vertex))
        return -ENOMEM;
    return contexts_are_full(s) ? -EOVERFLOW : 0;
}

/* --- Rows ------------------------------------------------------------------- */

/* Find or make the context above the outermost calls of a thread. */
static size_t thread_root(struct mm_contexts *c, int thread)
{
    return mm_context_table_of(&c->state->table, MM_NO_CONTEXT,
                               thread ? c->other_vertex : c->thread_vertex);
}

static int push_node(struct mm_contexts_state *s, size_t *count, uint32_t node,
                     size_t parent)
{
    if (cca_array_extend(&s->stack, &s->stack_room, sizeof *s->stack, *count + 1) ||
        cca_array_extend(&s->parents, &s->parent_room, sizeof *s->parents, *count + 1))
        return -ENOMEM;
    s->stack[*count] = node;
    s->parents[(*count)++] = parent;
    return 0;
}

static int add_cells(struct mm_contexts *c, size_t context, uint32_t first)
{
    struct mm_contexts_state *s = c->state;
    const struct mm_calling_context *items = s->table.items;
    size_t parent = items[context].parent;

    for (uint32_t at = first; at; at = s->below.cells[at].next) {
        const struct mm_below_cell *cell = &s->below.cells[at];
        struct mm_context_cell own = {.rank = s->rank,
                                      .mode = cell->mode,
                                      .calls = cell->calls,
                                      .open = cell->open,
                                      .exclusive_ns = cell->exclusive_ns};

        c->lost += items[parent].vertex == c->lost_vertex ? cell->calls : 0;
        c->begun += items[parent].vertex == c->other_vertex ? cell->calls : 0;
        if (mm_context_table_add(&s->table, context, &own))
            return -ENOMEM;
    }
    return 0;
}

/* Add the contexts of the finished thread to the table. */
static int thread_end(struct mm_contexts *c)
{
    struct mm_contexts_state *s = c->state;
    const struct mm_below *below = &s->below;
    size_t count = 0, root;
    uint32_t top;

    if (!s->walking)
        return 0;
    s->walking = 0;
    if (mm_below_end(&s->below, &top) ||
        (root = thread_root(c, s->thread)) == MM_NO_CONTEXT)
        return -ENOMEM;
    if (top && push_node(s, &count, below->nodes[top].first, root))
        return -ENOMEM;
    while (count) {
        uint32_t node = s->stack[--count];
        size_t parent = s->parents[count], context;

        if (!node)
            continue;
        if (push_node(s, &count, below->nodes[node].next, parent))
            return -ENOMEM;
        context = mm_context_table_of(&s->table, parent, below->nodes[node].vertex);
        if (context == MM_NO_CONTEXT || add_cells(c, context, below->nodes[node].cells) ||
            push_node(s, &count, below->nodes[node].first, context))
            return -ENOMEM;
    }
    mm_below_clear(&s->below);
    return contexts_bound(c);
}

/* Add a row that no aggregate counts, callee before caller, with its exclusive time less
 * the recording cost. Returns 0; -ENOMEM; -EOVERFLOW: too many contexts even when folded.
 */
static int mm_contexts_row(struct mm_contexts *c, const struct mm_row *row,
                           int64_t exclusive_ns)
{
    struct mm_contexts_state *s = c->state;
    struct mm_below_call call = {.vertex = (uint32_t)row->method->index,
                                 .number = row->invocation,
                                 .caller =
                                     row->caller < row->invocation ? row->caller : 0,
                                 .open = row->status == MM_ROW_OPEN,
                                 .exclusive_ns = exclusive_ns};
    int mode = mm_modes_number(&c->modes[row->method->index], row->values), result = 0;

    if (mode < 0)
        return mode;
    call.mode = (uint32_t)mode;
    if (!s->walking || row->rank != s->rank || row->thread != s->thread)
        result = thread_end(c);
    if (result)
        return result;
    s->walking = 1;
    s->rank = row->rank;
    s->thread = row->thread;
    c->calls++;
    c->uncertain += row->caller_uncertain != 0;
    if (c->ranks <= row->rank)
        c->ranks = row->rank + 1;
    result = mm_below_add(&s->below, &call);
    return result ? result : contexts_bound(c);
}

/* --- Aggregates ------------------------------------------------------------- */

/* Find or make the context above the path (of an aggregate) whose first call is `top`. */
static size_t path_root(struct mm_contexts *c, const struct mm_context *top, int thread)
{
    size_t root = thread_root(c, thread);

    if (root == MM_NO_CONTEXT || (top->caller_known && !top->caller))
        return root;
    return mm_context_table_of(&c->state->table, root, c->lost_vertex);
}

/* Add an aggregate (calls kept as sums), after all rows; returns like mm_contexts_row. */
static int mm_contexts_aggregate(struct mm_contexts *c, const struct mm_aggregate *a,
                                 int64_t exclusive_ns)
{
    struct mm_contexts_state *s = c->state;
    const struct mm_context *top = a->context;
    int mode = mm_modes_number(&c->modes[a->method->index], a->values), nested = 0;
    size_t count = 0, context;
    struct mm_context_cell cell = {
        .rank = a->rank, .calls = a->calls, .exclusive_ns = exclusive_ns};
    uint32_t parent;
    int result = mode < 0 ? mode : thread_end(c);

    if (result)
        return result;
    cell.mode = (uint32_t)mode;
    for (const struct mm_context *at = a->context; at; at = at->parent) {
        if (push_node(s, &count, (uint32_t)at->method->index, 0))
            return -ENOMEM;
        nested |= at->nested;
        top = at;
    }
    context = path_root(c, top, a->thread);
    while (count && context != MM_NO_CONTEXT)
        context = mm_context_table_of(&s->table, context, s->stack[--count]);
    if (context == MM_NO_CONTEXT || mm_context_table_add(&s->table, context, &cell))
        return -ENOMEM;
    parent = s->table.items[s->table.items[context].parent].vertex;
    c->calls += a->calls;
    c->lost += parent == c->lost_vertex ? a->calls : 0;
    c->begun += parent == c->other_vertex ? a->calls : 0;
    c->recursive += nested ? a->calls : 0;
    if (c->ranks <= a->rank)
        c->ranks = a->rank + 1;
    return contexts_bound(c);
}

/* --- The end ---------------------------------------------------------------- */

static int cell_order(const void *left, const void *right)
{
    const struct mm_context_cell *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->mode > b->mode) - (a->mode < b->mode);
}

/* Give ids to the modes of each method by value, not by first appearance. */
static int sort_modes(struct mm_contexts *c)
{
    for (size_t i = 0; i < c->method_count; i++)
        if (c->modes[i].count && mm_modes_sort(&c->modes[i]))
            return -ENOMEM;
    for (size_t i = 0; i < c->count; i++) {
        struct mm_calling_context *item = &c->items[i];

        if (item->vertex >= c->thread_vertex || !c->modes[item->vertex].count)
            continue;
        for (size_t k = 0; k < item->cell_count; k++)
            if (item->cells[k].mode != MM_MODE_OTHER)
                item->cells[k].mode =
                    c->modes[item->vertex].renumbered[item->cells[k].mode];
        qsort(item->cells, item->cell_count, sizeof *item->cells, cell_order);
    }
    return 0;
}

static void name_contexts(struct mm_contexts *c)
{
    for (size_t i = 0; i < c->count; i++) {
        struct mm_calling_context *item = &c->items[i];

        if (item->vertex < c->thread_vertex) {
            item->method = c->modes[item->vertex].method;
            item->name = item->method->name;
        } else {
            item->name = item->vertex == c->thread_vertex ? "<thread>"
                         : item->vertex == c->lost_vertex ? "<not recorded>"
                                                          : "<other threads>";
        }
        if (item->parent == MM_NO_CONTEXT)
            c->total_ns += item->total_ns;
    }
}

static void state_free(struct mm_contexts *c)
{
    if (!c->state)
        return;
    mm_context_table_done(&c->state->table);
    mm_below_done(&c->state->below);
    free(c->state->stack);
    free(c->state->parents);
    free(c->state);
    c->state = NULL;
}

/* End the walk: order the contexts and sum them. Returns 0 or a negative errno. */
static int mm_contexts_end(struct mm_contexts *c)
{
    struct mm_context_table *table = &c->state->table;
    int result = thread_end(c);

    if (!result)
        result = mm_context_table_order(table);
    if (!result && c->folded &&
        !(result = mm_context_table_fold(table, c->thread_vertex)))
        result = mm_context_table_order(table);
    if (result)
        return result;
    c->items = table->items;
    c->count = table->count;
    *table = (struct mm_context_table){0};
    state_free(c);
    name_contexts(c);
    return sort_modes(c);
}

void mm_contexts_free(struct mm_contexts *c)
{
    if (!c)
        return;
    state_free(c);
    for (size_t i = 0; i < c->count; i++)
        free(c->items[i].cells);
    free(c->items);
    for (size_t i = 0; c->modes && i < c->method_count; i++)
        mm_modes_done(&c->modes[i]);
    free(c->modes);
    free(c);
}

/* --- Dual and contexts in one walk ------------------------------------------- */

static int on_row(const struct mm_row *row, const struct mm_joined *joined, void *context)
{
    return row->counted ? 0 : mm_contexts_row(context, row, joined->exclusive_ns);
}

static int on_aggregate(const struct mm_aggregate *a, const struct mm_joined *joined,
                        void *context)
{
    return mm_contexts_aggregate(context, a, joined->exclusive_ns);
}

static int report_failure(const struct mm_contexts *c, int code, struct cca_error *err)
{
    if (code == -EOVERFLOW)
        return cca_error_set(err, code,
                             "more than %zu calling contexts, recursion folded",
                             c->state->most);
    return code == -ENOMEM ? cca_no_memory(err) : code;
}

int mm_contexts_walk(const struct mm_row_source *source,
                     const struct mm_contexts_options *options, struct mm_dual **dual,
                     struct mm_contexts **contexts, struct cca_error *err)
{
    struct mm_contexts *c = mm_contexts_new(source, options, err);
    struct cca_error own = {0};
    int result;

    if (!c)
        return -ENOMEM;
    *dual = mm_dual_new(source, on_row, on_aggregate, c, &own);
    result = *dual ? mm_contexts_end(c) : own.code;
    if (!result) {
        *contexts = c;
        return 0;
    }
    if (result == -EOVERFLOW || result == -ENOMEM)
        result = report_failure(c, result, err);
    else
        cca_error_set(err, result, "%s", own.text);
    mm_dual_free(*dual);
    *dual = NULL;
    mm_contexts_free(c);
    return result;
}
