/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: a hash table from names to pointers. Keys are borrowed: let the value own its
 * key. */
#ifndef FRAMEWORK_BASE_TABLE_H
#define FRAMEWORK_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cca_table_entry {
    const char *key; /* NULL: empty */
    uint64_t hash;
    void *value;
};

/* A hash table; all zeros is an empty table. */
struct cca_table {
    struct cca_table_entry *entries;
    size_t capacity; /* number of slots: 0 or a power of two */
    size_t count;
};

int cca_table_put(struct cca_table *table, const char *key,
                  void *value); /* adds an entry: returns 0, -EEXIST, -ENOMEM */
void *cca_table_find(const struct cca_table *table, const char *key); /* or NULL */
/* remove an entry; no effect if the key is absent */
void cca_table_remove(struct cca_table *table, const char *key);
void cca_table_done(struct cca_table *table);

#endif
