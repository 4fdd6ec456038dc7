/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h: calls of one thread as contexts below callers whose rows have not come.
 *
 *     caller 1:   work          caller 4:   flux          the rows of 1 and 4 are to come
 *                 +-- flux                  states
 *
 * Rows come callee before caller. When a caller's row comes, its contexts move below
 * its own caller as a whole, or merge with those that are there; a merge of two contexts
 * ends one of them, so the work in all grows with the rows, not with their depth. Memory
 * grows with the contexts. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_BELOW_H
#define MASTERMIND_COUNTS_CONTEXTS_BELOW_H

#include <stddef.h>
#include <stdint.h>

struct mm_below_node {
    uint32_t vertex;
    uint32_t parent, first, next; /* nodes; 0: none */
    uint32_t cells;
    uint64_t holds; /* bit vertex % 64 of each vertex in it and below */
};

/* Calls of a node with equal modes. */
struct mm_below_cell {
    uint32_t mode, next;
    uint64_t calls, open;
    int64_t exclusive_ns;
};

/* A caller whose row has not come. */
struct mm_below_caller {
    uint64_t number; /* of its invocation; 0: the thread */
    uint32_t node;
};

/* Calls of one thread. */
struct mm_below {
    uint32_t lost_vertex; /* stands for callers whose rows never come */
    int fold; /* a recursive call counts in the context of the outermost activation */
    struct mm_below_node *nodes; /* index 0 is unused */
    size_t node_room;
    uint32_t node_count, free_node, nodes_used;
    struct mm_below_cell *cells;
    size_t cell_room;
    uint32_t cell_count, free_cell, cells_used;
    struct mm_below_caller *callers; /* ascending by number */
    size_t caller_count, caller_room;
    struct mm_below_frame *frames; /* of walks over nodes */
    size_t frame_room;
    uint32_t *outer;  /* [lost_vertex] by vertex; 0 outside of folds */
    uint32_t *recent; /* [lost_vertex + 1] the node of a vertex found last */
    int folding;      /* links to parents are out of date */
};

/* One call. */
struct mm_below_call {
    uint32_t vertex, mode;
    uint64_t number, caller; /* invocations; 0: the thread */
    int open;
    int64_t exclusive_ns;
};

/* Begin without calls. 0, or -ENOMEM; call mm_below_done in any case. */
int mm_below_init(struct mm_below *below, uint32_t lost_vertex, int fold);
/* Add a call, with all that is below it, below its caller. Calls of a thread come in the
 * order of their ends. 0 or -ENOMEM. */
int mm_below_add(struct mm_below *below, const struct mm_below_call *call);
/* Fold all contexts, and those to come. 0 or -ENOMEM. */
int mm_below_fold(struct mm_below *below);
/* End a thread: give up on callers and return the thread's node in `*node`, 0: no calls.
 * Valid until mm_below_clear. 0 or -ENOMEM. */
int mm_below_end(struct mm_below *below, uint32_t *node);
/* Forget all calls. */
void mm_below_clear(struct mm_below *below);
void mm_below_done(struct mm_below *below);

#endif
