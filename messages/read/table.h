/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: entries found by a key of words; they come in the order in which they were
 * added, and stay where they are. */
#ifndef MESSAGES_READ_TABLE_H
#define MESSAGES_READ_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct mm_word_table {
    size_t words, bytes; /* of a key; of what an entry has behind it */
    void **entries;      /* [count]: key, then `bytes` zeros at first */
    size_t count;
    size_t *places; /* [mask + 1] 1 + index */
    size_t mask;
};

void mm_word_table_init(struct mm_word_table *table, size_t words, size_t bytes);
void mm_word_table_done(struct mm_word_table *table);
/* What the entry has behind its key, which is added where it is not there; NULL: out of
 * memory. */
void *mm_word_table_add(struct mm_word_table *table, const uint64_t *key);
/* Like mm_word_table_add; NULL: not there. */
void *mm_word_table_find(const struct mm_word_table *table, const uint64_t *key);
static inline const uint64_t *mm_word_table_key(const struct mm_word_table *table,
                                                size_t index)
{
    return table->entries[index];
}
static inline void *mm_word_table_value(const struct mm_word_table *table, size_t index)
{
    return (uint64_t *)table->entries[index] + table->words;
}

#endif
