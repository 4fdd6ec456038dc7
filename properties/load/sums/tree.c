/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c: calling contexts, built from rows in the order callee before caller. */
#include "properties/load/sums/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct mm_load_tree *mm_tree_new(size_t metrics, const size_t *same)
{
    struct mm_load_tree *tree = calloc(1, sizeof *tree);

    if (!tree)
        return NULL;
    tree->metrics = metrics;
    tree->same = same;
    tree->node_count = 1;
    tree->context_count = 1;
    if (cca_array_extend(&tree->contexts, &tree->context_room, sizeof *tree->contexts,
                         1)) {
        free(tree);
        return NULL;
    }
    return tree;
}

void mm_tree_free(struct mm_load_tree *tree)
{
    if (!tree)
        return;
    free(tree->nodes);
    free(tree->contexts);
    free(tree->cells);
    free(tree);
}

static uint64_t bit(uint32_t method)
{
    return (uint64_t)1 << (method % 64);
}

static uint32_t node_new(struct mm_load_tree *t, uint32_t method)
{
    uint32_t node = t->free_node;

    if (node) {
        t->free_node = t->nodes[node].next;
    } else {
        if (t->node_count > MM_TREE_MOST)
            t->overflow = 1; /* calls from here on are read, but not kept */
        if (t->node_count >= UINT32_MAX ||
            cca_array_extend(&t->nodes, &t->node_room, sizeof *t->nodes,
                             t->node_count + 1))
            return 0;
        node = (uint32_t)t->node_count++;
    }
    t->nodes[node] = (struct mm_tree_node){.method = method, .holds = bit(method)};
    return node;
}

static void node_free(struct mm_load_tree *t, uint32_t node)
{
    t->nodes[node].next = t->free_node;
    t->free_node = node;
}

uint32_t mm_tree_caller(struct mm_load_tree *t)
{
    uint32_t node = node_new(t, 0);

    if (node)
        t->nodes[node].holds = 0;
    return node;
}

/* The node of a method directly below `parent`, which is moved to the front of the list;
 * 0: none. */
static uint32_t child_of(struct mm_load_tree *t, uint32_t parent, uint32_t method)
{
    uint32_t before = 0, node = t->nodes[parent].first;

    if (!(t->nodes[parent].holds & bit(method)))
        return 0;
    while (node && t->nodes[node].method != method) {
        before = node;
        node = t->nodes[node].next;
    }
    if (node && before) {
        t->nodes[before].next = t->nodes[node].next;
        t->nodes[node].next = t->nodes[parent].first;
        t->nodes[parent].first = node;
    }
    return node;
}

static void node_add(const struct mm_load_tree *t, struct mm_tree_node *to,
                     const struct mm_tree_node *from)
{
    to->calls += from->calls;
    to->open += from->open;
    to->own_lacks |= from->own_lacks;
    for (size_t i = 0; i < t->metrics; i++)
        to->own[i] += from->own[i];
}

/* Move a chain of siblings below `to`. Paths contain each method once, so the recursion
 * is at most as deep as there are methods. */
static void adopt(struct mm_load_tree *t, uint32_t to, uint32_t chain)
{
    while (chain) {
        uint32_t next = t->nodes[chain].next;
        uint32_t there = child_of(t, to, t->nodes[chain].method);

        t->nodes[to].holds |= t->nodes[chain].holds;
        if (there) {
            node_add(t, &t->nodes[there], &t->nodes[chain]);
            adopt(t, there, t->nodes[chain].first);
            node_free(t, chain);
        } else {
            t->nodes[chain].next = t->nodes[to].first;
            t->nodes[to].first = chain;
        }
        chain = next;
    }
}

/* Remove the nodes of `method` below `from`, and add them to `to`. */
static void fold(struct mm_load_tree *t, uint32_t from, uint32_t method, uint32_t to)
{
    uint32_t *link = &t->nodes[from].first;
    uint64_t holds = from ? bit(t->nodes[from].method) : 0;

    while (*link) {
        uint32_t node = *link;

        if (t->nodes[node].method == method) {
            *link = t->nodes[node].next;
            node_add(t, &t->nodes[to], &t->nodes[node]);
            adopt(t, to, t->nodes[node].first);
            node_free(t, node);
            continue;
        }
        if (t->nodes[node].holds & bit(method))
            fold(t, node, method, to);
        holds |= t->nodes[node].holds;
        link = &t->nodes[node].next;
    }
    t->nodes[from].holds = holds;
}

int mm_tree_call(struct mm_load_tree *t, uint32_t caller, uint32_t self, uint32_t method,
                 int open, uint32_t own_lacks, const int64_t *own)
{
    uint32_t node = child_of(t, caller, method);
    struct mm_tree_node *n;

    if (!node) {
        node = node_new(t, method);
        if (!node)
            return -ENOMEM;
        t->nodes[node].next = t->nodes[caller].first;
        t->nodes[caller].first = node;
    }
    n = &t->nodes[node];
    n->calls++;
    n->open += (uint64_t)(open != 0);
    n->own_lacks |= own_lacks;
    for (size_t i = 0; i < t->metrics; i++)
        n->own[i] += own[i];
    if (self) {
        if (t->nodes[self].holds & bit(method))
            fold(t, self, method, node);
        adopt(t, node, t->nodes[self].first);
        node_free(t, self);
    }
    t->nodes[caller].holds |= t->nodes[node].holds;
    return 0;
}

int mm_tree_move(struct mm_load_tree *t, uint32_t from, uint32_t to)
{
    adopt(t, to, t->nodes[from].first);
    node_free(t, from);
    return 0;
}

/* --- Contexts of all units ------------------------------------------------ */

static uint32_t context_of(struct mm_load_tree *t, uint32_t parent, uint32_t method)
{
    uint32_t *link = &t->contexts[parent].first, context;

    while (*link && t->contexts[*link].method != method)
        link = &t->contexts[*link].next;
    if (*link)
        return *link;
    if (t->context_count > MM_TREE_MOST)
        t->overflow = 1;
    context = (uint32_t)t->context_count;
    if (cca_array_extend(&t->contexts, &t->context_room, sizeof *t->contexts,
                         t->context_count + 1))
        return 0;
    t->contexts[context] = (struct mm_tree_context){.method = method, .parent = parent};
    t->contexts[context].next = t->contexts[parent].first;
    t->contexts[parent].first = context;
    t->context_count++;
    return context;
}

static struct mm_tree_cell *cell_new(struct mm_load_tree *t, uint32_t context,
                                     uint32_t unit)
{
    struct mm_tree_cell *cell;

    if (cca_array_extend(&t->cells, &t->cell_room, sizeof *t->cells, t->cell_count + 1))
        return NULL;
    cell = &t->cells[t->cell_count++];
    *cell = (struct mm_tree_cell){.context = context, .unit = unit};
    return cell;
}

static int keep_chain(struct mm_load_tree *t, uint32_t chain, uint32_t parent,
                      uint32_t unit)
{
    for (; chain; chain = t->nodes[chain].next) {
        const struct mm_tree_node *n = &t->nodes[chain];
        uint32_t context = context_of(t, parent, n->method);
        struct mm_tree_cell *cell = context ? cell_new(t, context, unit) : NULL;

        if (!cell)
            return -ENOMEM;
        cell->calls = n->calls;
        cell->open = n->open;
        cell->own_lacks = n->own_lacks;
        memcpy(cell->own, n->own, sizeof cell->own);
        if (t->overflow)
            return 0;
        if (keep_chain(t, n->first, context, unit))
            return -ENOMEM;
    }
    return 0;
}

int mm_tree_keep(struct mm_load_tree *t, uint32_t root, uint32_t unit)
{
    int result = t->overflow ? 0 : keep_chain(t, t->nodes[root].first, 0, unit);

    t->node_count = 1;
    t->free_node = 0;
    return result;
}

/* Insert the path of an aggregate below the root, with recursion folded as in rows. */
static uint32_t context_of_path(struct mm_load_tree *t, const struct mm_context *path)
{
    uint32_t *methods = NULL, context = 0;
    size_t count = 0;

    for (; path; path = path->parent) {
        uint32_t method =
            (uint32_t)(t->same ? t->same[path->method->index] : path->method->index);

        for (size_t i = count; i-- > 0;)
            if (methods[i] == method)
                count = i;
        if (cca_array_reserve(&methods, count, sizeof *methods)) {
            free(methods);
            return 0;
        }
        methods[count++] = method;
    }
    while (count-- > 0 && (context = context_of(t, context, methods[count])))
        ;
    free(methods);
    return context;
}

int mm_tree_aggregate(struct mm_load_tree *t, uint32_t unit, const struct mm_aggregate *a,
                      uint32_t own_lacks, const int64_t *own)
{
    uint32_t context = t->overflow ? 0 : context_of_path(t, a->context);
    struct mm_tree_cell *cell;

    if (t->overflow)
        return 0;
    cell = context ? cell_new(t, context, unit) : NULL;
    if (!cell)
        return -ENOMEM;
    cell->calls = a->calls;
    cell->own_lacks = own_lacks;
    memcpy(cell->own, own, t->metrics * sizeof *own);
    return 0;
}

int mm_tree_take(struct mm_load_tree *t, uint32_t unit, const struct mm_context *context,
                 int64_t mpi_ns, int64_t cpu_ns)
{
    uint32_t caller =
        t->overflow || !context->parent ? 0 : context_of_path(t, context->parent);
    struct mm_tree_cell *cell;

    if (t->overflow || !context->parent || (!mpi_ns && !cpu_ns))
        return 0;
    cell = caller ? cell_new(t, caller, unit) : NULL;
    if (!cell)
        return -ENOMEM;
    cell->own[MM_LOAD_MPI] = -mpi_ns;
    cell->own[MM_LOAD_CPU] = -cpu_ns;
    return 0;
}

static int by_unit(const void *left, const void *right)
{
    const struct mm_tree_cell *a = left, *b = right;

    return a->unit != b->unit ? (a->unit > b->unit) - (a->unit < b->unit)
                              : (a->context > b->context) - (a->context < b->context);
}

void mm_tree_end(struct mm_load_tree *t)
{
    size_t kept = 0;

    if (t->cell_count)
        qsort(t->cells, t->cell_count, sizeof *t->cells, by_unit);
    for (size_t i = 0; i < t->cell_count; i++) {
        struct mm_tree_cell *to = kept ? &t->cells[kept - 1] : NULL;
        const struct mm_tree_cell *from = &t->cells[i];

        t->contexts[from->context].total_ns += (double)from->own[MM_LOAD_EXEC];
        if (!to || by_unit(to, from) != 0) {
            t->cells[kept++] = *from;
            continue;
        }
        to->calls += from->calls;
        to->open += from->open;
        to->own_lacks |= from->own_lacks;
        for (size_t k = 0; k < t->metrics; k++)
            to->own[k] += from->own[k];
    }
    t->cell_count = kept;
    for (size_t i = t->context_count; i-- > 1;)
        t->contexts[t->contexts[i].parent].total_ns += t->contexts[i].total_ns;
}
