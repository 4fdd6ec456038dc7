/* SPDX-License-Identifier: BSD-3-Clause */
/* contexts.h: calls and costs by calling context.
 *
 *     <thread>, driver.go, rk2.advance, mesh.exchange   cells: calls by rank and modes
 *     <thread>, driver.go, mesh.exchange                the method in another context
 * A context is a path of methods, from the first call of a thread to the call itself.
 *
 * A recursive call is a context of its own: `a`, `a a`, `a a a`. Folded, it counts in the
 * context of the outermost activation of its method: the path a b a c becomes a c.
 * Contexts are folded on request, and where there are too many.
 *
 * Calls whose caller has no row are below <not recorded>, which is itself below the
 * nearest recorded caller. The first calls of secondary threads are below <other
 * threads>: rows do not show which call made the thread. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_CONTEXTS_H
#define MASTERMIND_COUNTS_CONTEXTS_CONTEXTS_H

#include "mastermind/counts/contexts/modes.h"
#include "mastermind/counts/dual/dual.h"

#define MM_NO_CONTEXT SIZE_MAX
enum { MM_CONTEXTS_MOST = 1 << 18 }; /* largest number of contexts by default */

/* Calls of a context on one rank with equal modes. */
struct mm_context_cell {
    int rank;
    uint32_t mode; /* id of the calls' modes, for mm_modes_of */
    uint64_t calls;
    uint64_t open; /* calls that were not finished when the run ended, part of `calls` */
    int64_t exclusive_ns;
};

struct mm_calling_context {
    size_t parent;                       /* index of the calling context;
                                            MM_NO_CONTEXT: none */
    const struct mm_method_info *method; /* called method; NULL: <thread>, <not
                                            recorded>, <other threads> */
    const char *name;                    /* printed name of the method */
    uint32_t vertex; /* index of the method; <thread>, <not recorded> and <other threads>
                        have indexes above all methods */
    struct mm_context_cell *cells; /* calls by rank and mode, ascending */
    size_t cell_count;
    /* The members below are set by mm_contexts_end. */
    size_t depth;  /* number of contexts above this one */
    size_t extent; /* number of contexts in this context's subtree; they follow it in the
                      array */
    uint64_t calls, open;
    int64_t exclusive_ns; /* exclusive time of the calls, less the recording cost */
    int64_t total_ns;     /* sum of the exclusive times of the context's subtree */
};

struct mm_contexts_options {
    int fold;
    size_t most; /* largest number of contexts; 0: MM_CONTEXTS_MOST */
};

/* After mm_contexts_end each context precedes its subtree, siblings by descending
 * total_ns. */
struct mm_contexts {
    struct mm_calling_context *items; /* [count] contexts */
    size_t count;
    struct mm_modes *modes; /* [method_count] modes of each method */
    size_t method_count;
    uint32_t thread_vertex, lost_vertex, other_vertex;
    int folded;   /* true if recursive calls count in the context of the outermost
                     activation */
    int overflow; /* true if `folded` is set because there were too many contexts */
    int ranks;    /* 1 + the highest rank that made a call */
    int64_t total_ns;
    uint64_t calls;
    uint64_t uncertain; /* calls whose caller a longjmp may have skipped, part of
                           `calls` */
    uint64_t lost; /* calls whose caller in the tree is <not recorded>, part of `calls` */
    /* calls whose caller in the tree is <other threads>, part of `calls` */
    uint64_t begun;
    uint64_t recursive; /* calls in aggregates, whose recursion the recorder folds, part
                           of `calls` */
    struct mm_contexts_state *state; /* state of the walk, until mm_contexts_end */
};

void mm_contexts_free(struct mm_contexts *contexts);

/* Walk `source` once for the dual and the contexts; both are new. Returns 0 or a negative
 * errno with `err`. */
int mm_contexts_walk(const struct mm_row_source *source,
                     const struct mm_contexts_options *options, struct mm_dual **dual,
                     struct mm_contexts **contexts, struct cca_error *err);

#endif
