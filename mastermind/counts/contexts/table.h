/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: contexts by parent and vertex, while they are built. */
#ifndef MASTERMIND_COUNTS_CONTEXTS_TABLE_H
#define MASTERMIND_COUNTS_CONTEXTS_TABLE_H

#include "mastermind/counts/contexts/contexts.h"

/* Calling contexts by index; empty if zero-initialised. A context comes after its
 * parent. */
struct mm_context_table {
    struct mm_calling_context *items;
    size_t count;
    uint32_t *places; /* index + 1 of the context in each slot of a hash table with open
                         addressing; 0: free */
    size_t room;      /* number of slots in `places`: a power of two, or 0 */
};

/* Find or make the context of a vertex below `parent` (MM_NO_CONTEXT: none). Returns its
 * index, or MM_NO_CONTEXT: out of memory. */
size_t mm_context_table_of(struct mm_context_table *table, size_t parent,
                           uint32_t vertex);
/* Add a cell (calls with equal rank and modes) to a context. Returns 0 or -ENOMEM. */
int mm_context_table_add(struct mm_context_table *table, size_t context,
                         const struct mm_context_cell *cell);
/* Sum and order the contexts: each before its subtree, siblings by descending total.
 * Returns 0 or -ENOMEM. */
int mm_context_table_order(struct mm_context_table *table);
/* Fold recursive calls in an ordered table. Vertices from `methods` on are no methods.
 * Returns 0 or -ENOMEM; afterwards the table is unordered. */
int mm_context_table_fold(struct mm_context_table *table, uint32_t methods);
void mm_context_table_done(struct mm_context_table *table);

#endif
