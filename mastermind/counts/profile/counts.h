/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.h: numbers of calls between methods, by the in-values of caller and callee.
 *
 * A node is a method with one tuple of in-values. The counts contain no times: for a
 * deterministic program they are equal in each run. */
#ifndef MASTERMIND_COUNTS_PROFILE_COUNTS_H
#define MASTERMIND_COUNTS_PROFILE_COUNTS_H

#include "mastermind/reader/rows.h"

#define MM_NO_KEY 0 /* key of unknown in-values, or of a caller that is no method */

struct mm_call_node {
    size_t vertex; /* index of the method, or thread_vertex or lost_vertex of the dual */
    uint64_t key;  /* hash of the in-values (mm_in_values_hash), or MM_NO_KEY */
};

struct mm_count {
    struct mm_call_node caller, callee;
    uint64_t calls;
};

/* Numbers of calls by caller and callee. Empty: all zero except method_count. */
struct mm_counts {
    size_t method_count;
    struct mm_count *items; /* [count] numbers of calls; after mm_counts_end ascending
                               by caller, callee */
    size_t count;
    uint32_t *table; /* hash table of pairs (caller, callee) with open addressing: index +
                        1 of the item in each slot; until mm_counts_end */
    size_t table_size;
    struct mm_made *made; /* callers whose rows have not arrived, ascending by number */
    size_t made_count, made_room;
    int rank, thread;
};

/* Count a row (call) that no aggregate counts; rows arrive callee before caller. Returns
 * 0 or -ENOMEM. */
int mm_counts_row(struct mm_counts *counts, const struct mm_row *row);
int mm_counts_aggregate(struct mm_counts *counts, const struct mm_aggregate *aggregate);
/* End the walk over the rows. Returns 0 or -ENOMEM. */
int mm_counts_end(struct mm_counts *counts);
void mm_counts_done(struct mm_counts *counts);

/* Compare nodes by method and in-values: negative, 0 or positive. */
int mm_node_order(const struct mm_call_node *a, const struct mm_call_node *b);

#endif
