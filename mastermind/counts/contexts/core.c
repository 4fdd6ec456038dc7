/* SPDX-License-Identifier: BSD-3-Clause */
/* core.c: drop contexts that are small compared with their parent or siblings. */
#include "mastermind/counts/contexts/core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* The children of a calling context. */
struct children {
    size_t count;
    int64_t total_ns;
};

static struct children children_of(const struct mm_contexts *c, size_t parent)
{
    struct children children = {0, 0};
    size_t end = parent + c->items[parent].extent;

    for (size_t i = parent + 1; i < end; i += c->items[i].extent) {
        children.count++;
        children.total_ns += c->items[i].total_ns;
    }
    return children;
}

static void drop_child(struct mm_core *core, const struct mm_contexts *c, size_t child,
                       struct mm_cut *cut)
{
    const struct mm_calling_context *item = &c->items[child];

    memset(core->rules + child, MM_CORE_BELOW, item->extent);
    core->rules[child] = (unsigned char)cut->rule;
    cut->children++;
    cut->contexts += item->extent;
    cut->total_ns += item->total_ns;
    for (size_t i = child; i < child + item->extent; i++)
        cut->calls += c->items[i].calls;
}

static int cut_add(struct mm_core *core, const struct mm_cut *cut)
{
    struct mm_cut *own;

    if (!cut->children)
        return 0;
    own = cca_array_add(&core->cuts, &core->cut_count, sizeof *own);
    if (!own)
        return -ENOMEM;
    *own = *cut;
    core->contexts += cut->contexts;
    core->calls += cut->calls;
    core->total_ns += cut->total_ns;
    core->limit_ns += cut->limit_ns;
    return 0;
}

/* Apply the rules of core.h to the children of a kept context. */
static int cut_children(struct mm_core *core, const struct mm_contexts *c, size_t parent,
                        const struct mm_core_options *options)
{
    struct children children = children_of(c, parent);
    double together_ns = options->parent * (double)c->items[parent].total_ns;
    double each_ns = children.count ? options->sibling * (double)children.total_ns /
                                          (double)children.count
                                    : 0;
    int together = (double)children.total_ns < together_ns;
    struct mm_cut cut = {.parent = parent,
                         .rule = together ? MM_CORE_TOGETHER : MM_CORE_SIBLING};
    size_t end = parent + c->items[parent].extent;

    for (size_t i = parent + 1; i < end; i += c->items[i].extent)
        if (together || (double)c->items[i].total_ns < each_ns)
            drop_child(core, c, i, &cut);
    cut.limit_ns = together ? together_ns : (double)cut.children * each_ns;
    return cut_add(core, &cut);
}

/* Find the rank of whose own time the dropped contexts have the largest share. */
static int find_rank(struct mm_core *core, const struct mm_contexts *c)
{
    double *sums = calloc(2 * (size_t)c->ranks + 1, sizeof *sums);
    double *cut = sums + c->ranks;

    if (!sums)
        return -ENOMEM;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->items[i].cell_count; k++) {
            const struct mm_context_cell *cell = &c->items[i].cells[k];

            sums[cell->rank] += (double)cell->exclusive_ns;
            cut[cell->rank] += core->rules[i] ? (double)cell->exclusive_ns : 0;
        }
    }
    for (int rank = 0; rank < c->ranks; rank++) {
        double share = sums[rank] > 0 ? cut[rank] / sums[rank] : 0;

        if (share > core->rank_share) {
            core->rank = rank;
            core->rank_share = share;
        }
    }
    free(sums);
    return 0;
}

int mm_core_find(struct mm_core *core, const struct mm_contexts *c,
                 const struct mm_core_options *options)
{
    *core = (struct mm_core){.rules = calloc(c->count + 1, 1)};
    if (!core->rules)
        return -ENOMEM;
    for (size_t i = 0; i < c->count; i++) {
        if (core->rules[i])
            continue;
        if (c->items[i].depth >= core->levels)
            core->levels = c->items[i].depth + 1;
        if (cut_children(core, c, i, options))
            return -ENOMEM;
    }
    return find_rank(core, c);
}

void mm_core_done(struct mm_core *core)
{
    free(core->rules);
    free(core->cuts);
    *core = (struct mm_core){0};
}
