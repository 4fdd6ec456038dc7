/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h: the contexts that matter, by the rules of Trebon, Morris, Ray, Shende and
 * Malony for composite performance models.
 *
 * T is the time of a context with its subtree, J a kept context, S the sum of T over the
 * N children of J:
 *
 *     S < parent * T(J)                    drop all children of J together
 *     else T(child) < sibling * S / N      drop this child
 *
 * The subtree of a dropped context goes with it. The first rule cuts less than parent *
 * T(J); the second less than n * sibling * S / N where it drops n children. The sum of
 * these limits bounds the cut, and is itself at most (parent + levels * sibling) of the
 * total, levels being the depth of the core. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_CORE_H
#define MASTERMIND_COUNTS_CONTEXTS_CORE_H

#include "mastermind/counts/contexts/contexts.h"

struct mm_core_options {
    double parent, sibling; /* contexts with less than this share of their parent's
                               time (all siblings together), or of their siblings' mean
                               time, are dropped; 0: the rule drops nothing */
};

enum mm_core_rule {
    MM_CORE_KEPT = 0,
    MM_CORE_TOGETHER, /* the context is dropped with its siblings, which are small
                         compared with the parent */
    MM_CORE_SIBLING,  /* the context is small compared with its siblings */
    MM_CORE_BELOW     /* the context is below a dropped context */
};

/* Children of one parent that one rule dropped. */
struct mm_cut {
    size_t parent;
    enum mm_core_rule rule;
    size_t children,
        contexts; /* number of dropped children, and of all contexts in their subtrees */
    uint64_t calls; /* number of calls of all these contexts */
    int64_t total_ns;
    double limit_ns; /* upper limit of total_ns, which follows from `rule` */
};

struct mm_core {
    unsigned char *rules; /* [count of the contexts] enum mm_core_rule of each context */
    struct mm_cut *cuts;  /* dropped children, ascending by parent */
    size_t cut_count;
    size_t contexts; /* sums over all cuts */
    uint64_t calls;
    int64_t total_ns;
    double limit_ns;
    size_t levels;     /* depth of the core: 1 with roots alone */
    int rank;          /* rank that loses the largest share of its own time */
    double rank_share; /* share of that rank's own time that was dropped */
};

/* Find the core of contexts whose walk has ended. Returns 0, or -ENOMEM; call
 * mm_core_done in any case. */
int mm_core_find(struct mm_core *core, const struct mm_contexts *contexts,
                 const struct mm_core_options *options);
void mm_core_done(struct mm_core *core);

#endif
