/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.h: how often the calls of each method made calls of others, by the in-values of
 * both.
 *
 * A node is a method with one tuple of in-values. The counts have no times in them: of a
 * deterministic program they are the same in each run. */
#ifndef MASTERMIND_COUNTS_PROFILE_COUNTS_H
#define MASTERMIND_COUNTS_PROFILE_COUNTS_H

#include "mastermind/reader/rows.h"

#define MM_NO_KEY 0 /* in-values that are unknown, or a caller that is no method */

struct mm_call_node {
    size_t vertex; /* method, or thread_vertex or lost_vertex of the dual */
    uint64_t key;  /* mm_in_values_hash of its in-values, or MM_NO_KEY */
};

struct mm_count {
    struct mm_call_node caller, callee;
    uint64_t calls;
};

/* Zero-initialised but for method_count is empty. */
struct mm_counts {
    size_t method_count;
    struct mm_count *items; /* [count]; after mm_counts_end ascending by caller, callee */
    size_t count;
    uint32_t *table; /* of positions + 1, open addressing; until mm_counts_end */
    size_t table_size;
    struct mm_made *made; /* callers whose rows have not come, ascending by number */
    size_t made_count, made_room;
    int rank, thread;
};

/* Add a row that no aggregate counts: rows come callee before caller. 0 or -ENOMEM. */
int mm_counts_row(struct mm_counts *counts, const struct mm_row *row);
int mm_counts_aggregate(struct mm_counts *counts, const struct mm_aggregate *aggregate);
/* End the walk. 0 or -ENOMEM. */
int mm_counts_end(struct mm_counts *counts);
void mm_counts_done(struct mm_counts *counts);

/* Order of nodes: negative, 0 or positive. */
int mm_node_order(const struct mm_call_node *a, const struct mm_call_node *b);

#endif
