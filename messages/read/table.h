/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: a hash table whose keys are words; entries keep the order in which they were
 * added, and their addresses. */
#ifndef MESSAGES_READ_TABLE_H
#define MESSAGES_READ_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct mm_word_table {
    size_t words, bytes; /* number of words in a key; bytes of data after it in an
                          * entry */
    void **entries;      /* [count]: key, then `bytes` of data, initially 0 */
    size_t count;
    size_t *places; /* [mask + 1] hash table of indices in `entries`, + 1 */
    size_t mask;
};

void mm_word_table_init(struct mm_word_table *table, size_t words, size_t bytes);
void mm_word_table_done(struct mm_word_table *table);
/* Data of the entry with this key, which is added if it is not there; NULL: out of
 * memory. */
void *mm_word_table_add(struct mm_word_table *table, const uint64_t *key);
/* The data of a key, like mm_word_table_add, but NULL if the key is not in the table. */
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
