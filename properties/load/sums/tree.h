/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h: calling contexts of all units, with all metrics.
 *
 * As in mastermind/counts/contexts/below.h, calls are first inserted below a placeholder
 * for their caller, whose row comes later, and then move as a whole below the caller's
 * own caller. Recursion is folded: a call within an activation of its own method counts
 * in the context of the outer activation, and contexts between the two are dropped. So a
 * path contains each method once; memory grows with the number of paths. */
#ifndef PROPERTIES_LOAD_SUMS_TREE_H
#define PROPERTIES_LOAD_SUMS_TREE_H

#include "properties/load/sums/sums.h"

/* limit of the contexts in one thread, and of the contexts in all threads */
enum { MM_TREE_MOST = 1 << 17 };

/* A context, or the placeholder of a caller whose row has not come yet. */
struct mm_tree_node {
    /* index of the method; nodes of the first child and the next sibling; 0: none */
    uint32_t method, first, next;
    uint64_t holds; /* bit method % 64 is set for its method and the methods of all nodes
                     * below it */
    uint64_t calls, open;
    uint32_t own_lacks;
    int64_t own[MM_LOAD_MOST];
};

/* A context over all units. */
struct mm_tree_context {
    /* method; contexts of parent (a smaller index), first child, next sibling; 0: none */
    uint32_t method, parent, first, next;
    double total_ns; /* time (EXEC) of this context and all contexts below it, over all
                      * units */
    /* id of the context's row in the table region; 0: not kept */
    int64_t region;
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
    /* [methods] the method to which each method's calls are added; NULL: all methods are
     * distinct */
    const size_t *same;
    struct mm_tree_node *nodes; /* nodes of the current thread; node 0 is unused */
    size_t node_count, node_room;
    uint32_t free_node;
    /* contexts over all units; [0] is the common root */
    struct mm_tree_context *contexts;
    size_t context_count, context_room;
    struct mm_tree_cell *cells;
    size_t cell_count, cell_room;
    int overflow; /* 1: there were too many contexts, so none is kept */
};

/* New; `same` (NULL: none) maps each method to the method that it counts as, and is
 * borrowed. NULL: out of memory. */
struct mm_load_tree *mm_tree_new(size_t metrics, const size_t *same);
void mm_tree_free(struct mm_load_tree *tree);

/* Make a placeholder node for a caller. Returns its number, or 0 if out of memory. */
uint32_t mm_tree_caller(struct mm_load_tree *tree);
/* Add a call of `method` below `caller`; the children of placeholder `self` (0: none),
 * which is freed, move below the call. Values are own[metrics]. Returns 0 or -ENOMEM. */
int mm_tree_call(struct mm_load_tree *tree, uint32_t caller, uint32_t self,
                 uint32_t method, int open, uint32_t own_lacks, const int64_t *own);
/* Move the children of placeholder `from`, which is freed, below `to`. */
int mm_tree_move(struct mm_load_tree *tree, uint32_t from, uint32_t to);
/* The thread of `unit` has ended: keep the contexts below `root`. Returns 0 or
 * -ENOMEM. */
int mm_tree_keep(struct mm_load_tree *tree, uint32_t root, uint32_t unit);
/* Add the calls of an aggregate. Returns 0 or -ENOMEM. */
int mm_tree_aggregate(struct mm_load_tree *tree, uint32_t unit,
                      const struct mm_aggregate *aggregate, uint32_t own_lacks,
                      const int64_t *own);
/* Subtract an aggregate's values from its caller, whose own values include them. */
int mm_tree_take(struct mm_load_tree *tree, uint32_t unit,
                 const struct mm_context *context, int64_t mpi_ns, int64_t cpu_ns);
/* After all calls: sort the cells by unit and context, merge equal ones, and compute
 * total_ns. */
void mm_tree_end(struct mm_load_tree *tree);

#endif
