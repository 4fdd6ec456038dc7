/* SPDX-License-Identifier: BSD-3-Clause */
/* below.c: calling contexts below callers whose rows have not arrived. */
#include "mastermind/counts/contexts/below.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A node on the path of a walk over the calling contexts. */
struct mm_below_frame {
    uint32_t node, next; /* child of the node to visit next */
    uint32_t target;     /* node that gets the calls of `node` */
    int outermost; /* true for the first node on the path that has its vertex (method) */
};

static uint64_t bit_of(uint32_t vertex)
{
    return UINT64_C(1) << vertex % 64;
}

int mm_below_init(struct mm_below *b, uint32_t lost_vertex, int fold)
{
    *b = (struct mm_below){.lost_vertex = lost_vertex,
                           .fold = fold,
                           .outer = calloc((size_t)lost_vertex + 1, sizeof *b->outer),
                           .recent = calloc((size_t)lost_vertex + 1, sizeof *b->recent)};
    return b->outer && b->recent ? 0 : -ENOMEM;
}

/* --- Nodes and cells ------------------------------------------------------- */

/* Make a node (calling context) without calls; 0: out of memory. */
static uint32_t node_new(struct mm_below *b, uint32_t vertex)
{
    uint32_t node = b->free_node;

    if (node) {
        b->free_node = b->nodes[node].next;
    } else {
        if (!b->node_count)
            b->node_count = 1;
        if (b->node_count == UINT32_MAX ||
            cca_array_extend(&b->nodes, &b->node_room, sizeof *b->nodes,
                             (size_t)b->node_count + 1))
            return 0;
        node = b->node_count++;
    }
    b->nodes[node] = (struct mm_below_node){.vertex = vertex, .holds = bit_of(vertex)};
    b->nodes_used++;
    return node;
}

static void node_free(struct mm_below *b, uint32_t node)
{
    b->nodes[node].parent = 0;
    b->nodes[node].next = b->free_node;
    b->free_node = node;
    b->nodes_used--;
}

static uint32_t cell_new(struct mm_below *b)
{
    uint32_t cell = b->free_cell;

    if (cell) {
        b->free_cell = b->cells[cell].next;
    } else {
        if (!b->cell_count)
            b->cell_count = 1;
        if (b->cell_count == UINT32_MAX ||
            cca_array_extend(&b->cells, &b->cell_room, sizeof *b->cells,
                             (size_t)b->cell_count + 1))
            return 0;
        cell = b->cell_count++;
    }
    b->cells_used++;
    return cell;
}

/* Find the calls of a node with a mode; 0 if absent. Moves the cell to the front of its
 * node, because the next call likely has the same mode. */
static uint32_t cell_find(struct mm_below *b, uint32_t node, uint32_t mode)
{
    uint32_t before = 0, cell = b->nodes[node].cells;

    while (cell && b->cells[cell].mode != mode) {
        before = cell;
        cell = b->cells[cell].next;
    }
    if (cell && before) {
        b->cells[before].next = b->cells[cell].next;
        b->cells[cell].next = b->nodes[node].cells;
        b->nodes[node].cells = cell;
    }
    return cell;
}

static int call_add(struct mm_below *b, uint32_t node, const struct mm_below_call *call)
{
    uint32_t cell = cell_find(b, node, call->mode);

    if (!cell) {
        cell = cell_new(b);
        if (!cell)
            return -ENOMEM;
        b->cells[cell] =
            (struct mm_below_cell){.mode = call->mode, .next = b->nodes[node].cells};
        b->nodes[node].cells = cell;
    }
    b->cells[cell].calls++;
    b->cells[cell].open += (uint64_t)call->open;
    b->cells[cell].exclusive_ns += call->exclusive_ns;
    return 0;
}

/* Move the cells (calls by mode) of a node to another. */
static void cells_move(struct mm_below *b, uint32_t into, uint32_t from)
{
    uint32_t cell = b->nodes[from].cells;

    b->nodes[from].cells = 0;
    while (cell) {
        uint32_t next = b->cells[cell].next;
        uint32_t sum = cell_find(b, into, b->cells[cell].mode);

        if (sum) {
            b->cells[sum].calls += b->cells[cell].calls;
            b->cells[sum].open += b->cells[cell].open;
            b->cells[sum].exclusive_ns += b->cells[cell].exclusive_ns;
            b->cells[cell].next = b->free_cell;
            b->free_cell = cell;
            b->cells_used--;
        } else {
            b->cells[cell].next = b->nodes[into].cells;
            b->nodes[into].cells = cell;
        }
        cell = next;
    }
}

/* Find the child of a node by its method and move it to the front; 0 if absent. */
static uint32_t child_find(struct mm_below *b, uint32_t parent, uint32_t vertex)
{
    uint32_t before = 0, child = b->recent[vertex];

    if (child && !b->folding && b->nodes[child].parent == parent &&
        b->nodes[child].vertex == vertex)
        return child;
    child = b->nodes[parent].first;
    while (child && b->nodes[child].vertex != vertex) {
        before = child;
        child = b->nodes[child].next;
    }
    if (child && before) {
        b->nodes[before].next = b->nodes[child].next;
        b->nodes[child].next = b->nodes[parent].first;
        b->nodes[parent].first = child;
    }
    b->recent[vertex] = child;
    return child;
}

static void child_link(struct mm_below *b, uint32_t parent, uint32_t child)
{
    b->nodes[child].parent = parent;
    b->nodes[child].next = b->nodes[parent].first;
    b->nodes[parent].first = child;
    b->recent[b->nodes[child].vertex] = child;
    b->nodes[parent].holds |= b->nodes[child].holds;
}

/* Find or make the child of a node by its method; 0: out of memory. */
static uint32_t child_of(struct mm_below *b, uint32_t parent, uint32_t vertex)
{
    uint32_t child = child_find(b, parent, vertex);

    if (!child && (child = node_new(b, vertex)))
        child_link(b, parent, child);
    return child;
}

static struct mm_below_frame *frame_at(struct mm_below *b, size_t depth)
{
    if (cca_array_extend(&b->frames, &b->frame_room, sizeof *b->frames, depth + 1))
        return NULL;
    return &b->frames[depth];
}

/* Move all calls in node `from` and below to node `into`; free `from`. */
static int nodes_merge(struct mm_below *b, uint32_t into, uint32_t from)
{
    size_t count = 1;
    struct mm_below_frame *frame = frame_at(b, 0);

    if (!frame)
        return -ENOMEM;
    *frame = (struct mm_below_frame){.node = from, .target = into};
    while (count) {
        uint32_t child;

        from = b->frames[--count].node;
        into = b->frames[count].target;
        cells_move(b, into, from);
        b->nodes[into].holds |= b->nodes[from].holds;
        child = b->nodes[from].first;
        node_free(b, from);
        while (child) {
            uint32_t next = b->nodes[child].next;
            uint32_t same = child_find(b, into, b->nodes[child].vertex);

            if (!same) {
                child_link(b, into, child);
            } else {
                frame = frame_at(b, count);
                if (!frame)
                    return -ENOMEM;
                b->frames[count++] =
                    (struct mm_below_frame){.node = child, .target = same};
            }
            child = next;
        }
    }
    return 0;
}

/* --- Recursion ------------------------------------------------------------- */

/* Start a fold (of recursive calls) at a node of `depth`. */
static int fold_enter(struct mm_below *b, size_t depth, uint32_t node, uint32_t parent)
{
    uint32_t vertex = b->nodes[node].vertex, first = b->nodes[node].first;
    struct mm_below_frame *frame = frame_at(b, depth);
    uint32_t target = vertex == b->lost_vertex ? 0 : b->outer[vertex];
    int outermost = !target && vertex != b->lost_vertex;

    if (!frame)
        return -ENOMEM;
    if (!target && !(target = child_of(b, parent, vertex)))
        return -ENOMEM;
    cells_move(b, target, node);
    b->frames[depth] = (struct mm_below_frame){
        .node = node, .next = first, .target = target, .outermost = outermost};
    if (outermost)
        b->outer[vertex] = target;
    return 0;
}

/* Fold the tree below `root`: a call counts in the context of the outermost activation of
 * its method. `is_call`: `root` is itself a call; else it represents a caller whose row
 * has not arrived. */
static int fold_below(struct mm_below *b, uint32_t root, int is_call)
{
    uint32_t vertex = b->nodes[root].vertex;
    size_t depth = 1;

    if (!frame_at(b, 0))
        return -ENOMEM;
    b->frames[0] = (struct mm_below_frame){
        .node = root, .next = b->nodes[root].first, .target = root};
    b->nodes[root].first = 0;
    b->folding = 1;
    if (is_call)
        b->outer[vertex] = root;
    while (depth) {
        struct mm_below_frame *frame = &b->frames[depth - 1];
        uint32_t node = frame->next;

        if (node) {
            frame->next = b->nodes[node].next;
            if (fold_enter(b, depth, node, frame->target))
                return -ENOMEM;
            depth++;
            continue;
        }
        if (--depth) {
            b->nodes[b->frames[depth - 1].target].holds |= b->nodes[frame->target].holds;
            if (frame->outermost)
                b->outer[b->nodes[frame->node].vertex] = 0;
            node_free(b, frame->node);
        }
    }
    if (is_call)
        b->outer[vertex] = 0;
    b->folding = 0;
    return 0;
}

int mm_below_fold(struct mm_below *b)
{
    b->fold = 1;
    for (size_t i = 0; i < b->caller_count; i++)
        if (fold_below(b, b->callers[i].node, 0))
            return -ENOMEM;
    return 0;
}

/* --- Callers --------------------------------------------------------------- */

/* Find or make the node of the caller with invocation `number`, nearly always the last
 * one of the list; 0: out of memory. */
static uint32_t caller_node(struct mm_below *b, uint64_t number)
{
    size_t at = b->caller_count;
    uint32_t node;

    while (at && b->callers[at - 1].number > number)
        at--;
    if (at && b->callers[at - 1].number == number)
        return b->callers[at - 1].node;
    if (cca_array_extend(&b->callers, &b->caller_room, sizeof *b->callers,
                         b->caller_count + 1) ||
        !(node = node_new(b, 0)))
        return 0;
    b->nodes[node].holds = 0;
    memmove(b->callers + at + 1, b->callers + at,
            (b->caller_count - at) * sizeof *b->callers);
    b->callers[at] = (struct mm_below_caller){number, node};
    b->caller_count++;
    return node;
}

/* Give up on callers with invocation numbers above `number`: their rows will not arrive.
 * Their own caller is `number`, perhaps through other lost callers. */
static int callers_give_up(struct mm_below *b, uint64_t number)
{
    while (b->caller_count && b->callers[b->caller_count - 1].number > number) {
        uint32_t from = b->callers[--b->caller_count].node;
        uint32_t caller = caller_node(b, number), lost;

        if (!caller || !(lost = child_of(b, caller, b->lost_vertex)))
            return -ENOMEM;
        if (nodes_merge(b, lost, from))
            return -ENOMEM;
        b->nodes[caller].holds |= b->nodes[lost].holds;
    }
    return 0;
}

int mm_below_add(struct mm_below *b, const struct mm_below_call *call)
{
    uint32_t own = 0, caller, same;
    uint64_t holds;

    if (callers_give_up(b, call->number))
        return -ENOMEM;
    if (b->caller_count && b->callers[b->caller_count - 1].number == call->number)
        own = b->callers[--b->caller_count].node;
    caller = caller_node(b, call->caller);
    if (!caller)
        return -ENOMEM;
    if (!own) {
        own = child_of(b, caller, call->vertex);
        return own ? call_add(b, own, call) : -ENOMEM;
    }
    holds = b->nodes[own].holds;
    b->nodes[own].vertex = call->vertex;
    b->nodes[own].holds |= bit_of(call->vertex);
    if (call_add(b, own, call))
        return -ENOMEM;
    if (b->fold && holds & bit_of(call->vertex) && fold_below(b, own, 1))
        return -ENOMEM;
    same = child_find(b, caller, call->vertex);
    if (!same) {
        child_link(b, caller, own);
        return 0;
    }
    b->nodes[caller].holds |= b->nodes[own].holds;
    return nodes_merge(b, same, own);
}

int mm_below_end(struct mm_below *b, uint32_t *node)
{
    if (callers_give_up(b, 0))
        return -ENOMEM;
    *node = b->caller_count ? b->callers[0].node : 0;
    return 0;
}

void mm_below_clear(struct mm_below *b)
{
    b->caller_count = 0;
    b->node_count = b->free_node = b->nodes_used = 0;
    b->cell_count = b->free_cell = b->cells_used = 0;
    memset(b->recent, 0, ((size_t)b->lost_vertex + 1) * sizeof *b->recent);
}

void mm_below_done(struct mm_below *b)
{
    free(b->nodes);
    free(b->cells);
    free(b->callers);
    free(b->frames);
    free(b->outer);
    free(b->recent);
    *b = (struct mm_below){0};
}
