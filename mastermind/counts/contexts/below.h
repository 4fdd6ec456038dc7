/* SPDX-License-Identifier: BSD-3-Clause */
/* below.h: calls of one thread as contexts below callers whose rows have not arrived.
 *
 *     caller 1:   work          caller 4:   flux          the rows of 1 and 4 are to come
 *                 +-- flux                  states
 *
 * Rows arrive callee before caller. When a caller's row arrives, its contexts move below
 * its own caller as a whole, or merge with contexts there. Each merge of two contexts
 * frees one, so the total work grows with the rows, not with their depth. Memory grows
 * with the contexts. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_BELOW_H
#define MASTERMIND_COUNTS_CONTEXTS_BELOW_H

#include <stddef.h>
#include <stdint.h>

struct mm_below_node {
    uint32_t vertex;
    uint32_t parent, first, next; /* index of the parent, the first child and the next
                                     sibling; 0: none */
    uint32_t cells;
    uint64_t holds; /* set of the vertices (methods) in the node's subtree, as bits
                       vertex % 64 */
};

/* Calls of a node (calling context) with equal modes. */
struct mm_below_cell {
    uint32_t mode, next;
    uint64_t calls, open;
    int64_t exclusive_ns;
};

/* A caller whose row has not arrived. */
struct mm_below_caller {
    uint64_t number; /* number of the caller's invocation; 0: the thread */
    uint32_t node;
};

/* Calls of one thread. */
struct mm_below {
    uint32_t lost_vertex; /* vertex of callers whose rows will never arrive */
    int fold; /* true if a recursive call counts in the context of the outermost
                 activation */
    struct mm_below_node *nodes; /* nodes (calling contexts); index 0 is unused */
    size_t node_room;
    uint32_t node_count, free_node, nodes_used;
    struct mm_below_cell *cells;
    size_t cell_room;
    uint32_t cell_count, free_cell, cells_used;
    struct mm_below_caller *callers; /* callers without rows, ascending by invocation
                                        number */
    size_t caller_count, caller_room;
    struct mm_below_frame *frames; /* scratch memory of walks over nodes */
    size_t frame_room;
    uint32_t *outer;  /* [lost_vertex] node of each vertex's outermost activation; 0
                         outside of folds */
    uint32_t *recent; /* [lost_vertex + 1] for each vertex (method) its node that was
                         found last */
    int folding;      /* true if the links to parents are out of date */
};

/* A call to be added. */
struct mm_below_call {
    uint32_t vertex, mode;
    uint64_t number, caller; /* number of the invocation and of its caller's; 0: the
                                thread */
    int open;
    int64_t exclusive_ns;
};

/* Start a thread without calls. Returns 0 or -ENOMEM; call mm_below_done in any case. */
int mm_below_init(struct mm_below *below, uint32_t lost_vertex, int fold);
/* Add a call and everything below it to its caller. Calls of a thread come in the order
 * of their ends. Returns 0 or -ENOMEM. */
int mm_below_add(struct mm_below *below, const struct mm_below_call *call);
/* Fold recursive calls in all contexts, present and future. Returns 0 or -ENOMEM. */
int mm_below_fold(struct mm_below *below);
/* End a thread: give up on callers without rows and set `*node` to the thread's node, 0
 * if it made no calls. The node is valid until mm_below_clear. Returns 0 or -ENOMEM. */
int mm_below_end(struct mm_below *below, uint32_t *node);
/* Remove all calls. */
void mm_below_clear(struct mm_below *below);
void mm_below_done(struct mm_below *below);

#endif
