/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c: a hash table with open addressing; entries are on the heap. */
#include "messages/read/parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void mm_word_table_init(struct mm_word_table *t, size_t words, size_t bytes)
{
    memset(t, 0, sizeof *t);
    t->words = words;
    t->bytes = bytes;
}

void mm_word_table_done(struct mm_word_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->entries[i]);
    free(t->entries);
    free(t->places);
    memset(t, 0, sizeof *t);
}

static size_t hash_key(const struct mm_word_table *t, const uint64_t *key)
{
    uint64_t hash = 0x9e3779b97f4a7c15ULL;

    for (size_t i = 0; i < t->words; i++) {
        hash = (hash ^ key[i]) * 0xff51afd7ed558ccdULL;
        hash ^= hash >> 32;
    }
    return (size_t)hash;
}

/* The slot of a key, or the free slot for it. */
static size_t *find_place(const struct mm_word_table *t, const uint64_t *key)
{
    size_t at = hash_key(t, key) & t->mask;

    while (t->places[at] &&
           memcmp(t->entries[t->places[at] - 1], key, t->words * sizeof *key) != 0)
        at = (at + 1) & t->mask;
    return &t->places[at];
}

static int grow(struct mm_word_table *t)
{
    size_t room = t->places ? 2 * (t->mask + 1) : 64;
    size_t *places;

    if (t->places && 2 * (t->count + 1) <= t->mask + 1)
        return 0;
    places = calloc(room, sizeof *places);
    if (!places)
        return -1;
    free(t->places);
    t->places = places;
    t->mask = room - 1;
    for (size_t i = 0; i < t->count; i++)
        *find_place(t, t->entries[i]) = i + 1;
    return 0;
}

void *mm_word_table_find(const struct mm_word_table *t, const uint64_t *key)
{
    size_t place = t->places ? *find_place(t, key) : 0;

    return place ? mm_word_table_value(t, place - 1) : NULL;
}

void *mm_word_table_add(struct mm_word_table *t, const uint64_t *key)
{
    void *found = mm_word_table_find(t, key), **added;
    uint64_t *entry;

    if (found)
        return found;
    if (grow(t))
        return NULL;
    entry = calloc(1, t->words * sizeof *key + t->bytes);
    added = entry ? cca_array_add(&t->entries, &t->count, sizeof *added) : NULL;
    if (!added) {
        free(entry);
        return NULL;
    }
    memcpy(entry, key, t->words * sizeof *key);
    *added = entry;
    *find_place(t, key) = t->count;
    return entry + t->words;
}
