/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h: calling contexts of all units, with all metrics.
 *
 * As in mastermind/counts/contexts/below.h, calls stand below callers whose rows have
 * not come, and move below their own callers as a whole. Recursion is folded: a call
 * within an activation of its own method counts in the context of the outer one, and what
 * lies between them goes. So a path has each method once; memory grows with the paths. */
#ifndef PROPERTIES_LOAD_SUMS_TREE_H
#define PROPERTIES_LOAD_SUMS_TREE_H

#include "properties/load/sums/sums.h"

enum { MM_TREE_MOST = 1 << 17 }; /* contexts in a thread, or in all */

/* A context, or what stands for a caller whose row has not come. */
struct mm_tree_node {
    uint32_t method, first, next; /* first below, next beside it; 0: none */
    uint64_t holds;               /* bit method % 64 of it and all below */
    uint64_t calls, open;
    uint32_t own_lacks;
    int64_t own[MM_LOAD_MOST];
};

/* A context of all units. */
struct mm_tree_context {
    uint32_t method, parent, first, next; /* parent comes before; 0: none */
    double total_ns;                      /* of EXEC in it and below, all units */
    int64_t region;                       /* row of region, 0: not kept */
};

/* A context on one unit. */
struct mm_tree_cell {
    uint32_t context, unit;
    uint64_t calls, open;
    uint32_t own_lacks;
    int64_t own[MM_LOAD_MOST];
};

struct mm_load_tree {
    size_t metrics;
    const size_t *same;         /* NULL: each method is one */
    struct mm_tree_node *nodes; /* of the thread under way; 0 is unused */
    size_t node_count, node_room;
    uint32_t free_node;
    struct mm_tree_context *contexts; /* [0] is the root of all */
    size_t context_count, context_room;
    struct mm_tree_cell *cells;
    size_t cell_count, cell_room;
    int overflow; /* too many contexts: nothing is kept */
};

/* New; `same` (NULL: none) has for each method the one that it counts as, and is
 * borrowed. NULL: out of memory. */
struct mm_load_tree *mm_tree_new(size_t metrics, const size_t *same);
void mm_tree_free(struct mm_load_tree *tree);

/* A node that stands for a caller. 0: out of memory. */
uint32_t mm_tree_caller(struct mm_load_tree *tree);
/* Add a call of `method` below `caller`, with what stands below `self` (0: nothing),
 * which ends. Values are own[metrics]. 0 or -ENOMEM. */
int mm_tree_call(struct mm_load_tree *tree, uint32_t caller, uint32_t self,
                 uint32_t method, int open, uint32_t own_lacks, const int64_t *own);
/* Move what stands below `from`, which ends, below `to`. */
int mm_tree_move(struct mm_load_tree *tree, uint32_t from, uint32_t to);
/* The thread of `unit` has ended: keep what is below `root`. 0 or -ENOMEM. */
int mm_tree_keep(struct mm_load_tree *tree, uint32_t root, uint32_t unit);
/* Add the calls of an aggregate. 0 or -ENOMEM. */
int mm_tree_aggregate(struct mm_load_tree *tree, uint32_t unit,
                      const struct mm_aggregate *aggregate, uint32_t own_lacks,
                      const int64_t *own);
/* Take values of an aggregate from its caller, whose own values have them. */
int mm_tree_take(struct mm_load_tree *tree, uint32_t unit,
                 const struct mm_context *context, int64_t mpi_ns, int64_t cpu_ns);
/* All calls are added: order the cells by unit and context, one of each, and add up
 * total_ns. */
void mm_tree_end(struct mm_load_tree *tree);

#endif
