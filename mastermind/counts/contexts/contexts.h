/* SPDX-License-Identifier: BSD-3-Clause */
/* contexts.h: how often methods were called, at what cost, by calling context.
 *
 *     <thread>                    a context is a path of methods, from the first call of
 * a driver.go                 thread to the call itself rk2.advance mesh.exchange cells:
 * its calls by rank and modes mesh.exchange           the same method in another context
 *
 * A recursive call is a context of its own: `a`, `a a`, `a a a`. Folded, it counts in the
 * context of the outermost activation of its method: of the path a b a c remains a c.
 * Contexts are folded on demand, and where there are too many.
 *
 * Calls whose caller has no row are below <not recorded>, which is itself below the
 * nearest caller that has one. The first calls of threads other than the first of a rank
 * are below <other threads>: rows do not tell which call made the thread. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_CONTEXTS_H
#define MASTERMIND_COUNTS_CONTEXTS_CONTEXTS_H

#include "mastermind/counts/contexts/modes.h"
#include "mastermind/counts/dual/dual.h"

#define MM_NO_CONTEXT SIZE_MAX
enum { MM_CONTEXTS_MOST = 1 << 18 }; /* unless the options have another number */

/* Calls of a context on one rank with equal modes. */
struct mm_context_cell {
    int rank;
    uint32_t mode; /* mm_modes_of */
    uint64_t calls;
    uint64_t open; /* of `calls`: not finished when the run ended */
    int64_t exclusive_ns;
};

struct mm_calling_context {
    size_t parent;                       /* MM_NO_CONTEXT: none */
    const struct mm_method_info *method; /* NULL: <thread> and its like */
    const char *name;                    /* to print */
    uint32_t vertex;               /* index of the method, or one of the three below */
    struct mm_context_cell *cells; /* ascending by rank, mode */
    size_t cell_count;
    /* After mm_contexts_end: */
    size_t depth;  /* 0: no parent */
    size_t extent; /* contexts in it and below, which follow it */
    uint64_t calls, open;
    int64_t exclusive_ns; /* less what recording cost */
    int64_t total_ns;     /* exclusive times in it and below */
};

struct mm_contexts_options {
    int fold;
    size_t most; /* contexts; 0: MM_CONTEXTS_MOST */
};

/* After mm_contexts_end a context stands before those below it, siblings by descending
 * total_ns. */
struct mm_contexts {
    struct mm_calling_context *items; /* [count] */
    size_t count;
    struct mm_modes *modes; /* [method_count] */
    size_t method_count;
    uint32_t thread_vertex, lost_vertex, other_vertex;
    int folded;   /* recursion is folded: */
    int overflow; /* because there were too many contexts */
    int ranks;    /* ranks up to the last with a call */
    int64_t total_ns;
    uint64_t calls;
    uint64_t uncertain; /* of `calls`: the caller may have been skipped by longjmp */
    uint64_t lost;      /* of `calls`: directly below <not recorded> */
    uint64_t begun;     /* of `calls`: directly below <other threads> */
    uint64_t
        recursive; /* of `calls`: in aggregates, whose recursion the recorder folds */
    struct mm_contexts_state *state; /* until mm_contexts_end */
};

/* Contexts without calls. `source` gives the methods, which must outlive them. New, or
 * NULL with `err`. */
struct mm_contexts *mm_contexts_new(const struct mm_row_source *source,
                                    const struct mm_contexts_options *options,
                                    struct cca_error *err);
/* Add a row that no aggregate counts, callee before caller, with its exclusive time less
 * what recording cost. 0; -ENOMEM, or -EOVERFLOW: too many contexts, folded. */
int mm_contexts_row(struct mm_contexts *contexts, const struct mm_row *row,
                    int64_t exclusive_ns);
/* Like mm_contexts_row, after all rows. */
int mm_contexts_aggregate(struct mm_contexts *contexts,
                          const struct mm_aggregate *aggregate, int64_t exclusive_ns);
/* End the walk: order the contexts and add up. 0 or a negative errno. */
int mm_contexts_end(struct mm_contexts *contexts);
void mm_contexts_free(struct mm_contexts *contexts);

/* Walk `source` once for the dual and the contexts; both are new. 0 or a negative errno
 * with `err`. */
int mm_contexts_walk(const struct mm_row_source *source,
                     const struct mm_contexts_options *options, struct mm_dual **dual,
                     struct mm_contexts **contexts, struct cca_error *err);

#endif
