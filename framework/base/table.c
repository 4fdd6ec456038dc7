/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c: a hash table with open addressing and linear probing; removal moves later
 * entries back, so that there are no deleted markers. */
#include "framework/base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

static uint64_t hash_of(const char *key)
{
    uint64_t hash = cca_hash_text(CCA_HASH_START, key);

    return hash ^ hash >> 32;
}

/* Return the index of a key's slot, or of the empty slot for a new key. */
static size_t find_slot(const struct cca_table *table, const char *key, uint64_t hash)
{
    size_t i = hash & (table->capacity - 1);

    while (table->entries[i].key &&
           (table->entries[i].hash != hash || strcmp(table->entries[i].key, key) != 0))
        i = (i + 1) & (table->capacity - 1);
    return i;
}

static int grow_table(struct cca_table *table)
{
    struct cca_table larger = {.capacity = table->capacity ? 2 * table->capacity : 8,
                               .count = table->count};

    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries)
        return -ENOMEM;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct cca_table_entry *entry = &table->entries[i];

        if (entry->key)
            larger.entries[find_slot(&larger, entry->key, entry->hash)] = *entry;
    }
    free(table->entries);
    *table = larger;
    return 0;
}

int cca_table_put(struct cca_table *table, const char *key, void *value)
{
    uint64_t hash = hash_of(key);
    size_t i;

    /* keep at most three quarters of the slots full */
    if (4 * (table->count + 1) > 3 * table->capacity && grow_table(table))
        return -ENOMEM;
    i = find_slot(table, key, hash);
    if (table->entries[i].key)
        return -EEXIST;
    table->entries[i] =
        (struct cca_table_entry){.key = key, .hash = hash, .value = value};
    table->count++;
    return 0;
}

void *cca_table_find(const struct cca_table *table, const char *key)
{
    if (!table->count || !key)
        return NULL;
    return table->entries[find_slot(table, key, hash_of(key))].value;
}

void cca_table_remove(struct cca_table *table, const char *key)
{
    size_t mask = table->capacity - 1, hole;

    if (!table->count)
        return;
    hole = find_slot(table, key, hash_of(key));
    if (!table->entries[hole].key)
        return;
    table->count--;
    for (size_t i = (hole + 1) & mask; table->entries[i].key; i = (i + 1) & mask) {
        size_t home = table->entries[i].hash & mask;

        /* move the entry back unless its own slot is after the hole */
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->entries[hole] = table->entries[i];
            hole = i;
        }
    }
    table->entries[hole] = (struct cca_table_entry){0};
}

void cca_table_done(struct cca_table *table)
{
    free(table->entries);
    *table = (struct cca_table){0};
}
