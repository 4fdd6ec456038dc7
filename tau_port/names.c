/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: a table of names numbered in order of appearance: timers, events, groups. */
#include "tau_port/names.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

/* FNV-1a over the text and the group's number. */
static size_t hash_name(const char *text, const struct meas_name *group)
{
    uint64_t hash = cca_hash_text(CCA_HASH_START, text);

    hash = (hash ^ (uint64_t)(group ? group->id + 1 : 0)) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 32);
}

static void put_in_bucket(struct meas_names *names, struct meas_name *name)
{
    size_t bucket = hash_name(name->text, name->group) & (names->bucket_count - 1);

    name->next = names->buckets[bucket];
    names->buckets[bucket] = name;
}

/* Make room for one more name, and keep at most one name per hash bucket on average. */
static int reserve(struct meas_names *names)
{
    size_t capacity = names->capacity ? 2 * names->capacity : 16;
    struct meas_name **items, **buckets;

    if (names->count < names->capacity)
        return 0;
    items = realloc(names->items, capacity * sizeof *items);
    if (!items)
        return -ENOMEM;
    names->items = items;
    buckets = calloc(capacity, sizeof *buckets);
    if (!buckets)
        return -ENOMEM;
    free(names->buckets);
    names->buckets = buckets;
    names->bucket_count = names->capacity = capacity;
    for (size_t i = 0; i < names->count; i++)
        put_in_bucket(names, names->items[i]);
    return 0;
}

static struct meas_name *find(const struct meas_names *names, const char *text,
                              const struct meas_name *group)
{
    struct meas_name *name = NULL;

    if (names->bucket_count)
        name = names->buckets[hash_name(text, group) & (names->bucket_count - 1)];
    while (name && (name->group != group || strcmp(name->text, text)))
        name = name->next;
    return name;
}

struct meas_name *meas_names_get(struct meas_names *names, const char *text,
                                 struct meas_name *group, size_t limit,
                                 struct cca_error *err)
{
    struct meas_name *name;

    name = find(names, text, group);
    if (name)
        return name;
    if (names->count >= limit) {
        cca_error_set(err, -ENOSPC, "no room for '%s': %zu names are in use", text,
                      limit);
        return NULL;
    }
    name = calloc(1, sizeof *name);
    if (!name || !(name->text = strdup(text)) || reserve(names)) {
        cca_no_memory(err);
        if (name)
            free(name->text);
        free(name);
        return NULL;
    }
    name->group = group;
    name->id = (int)names->count;
    name->on = 1;
    names->items[names->count++] = name;
    put_in_bucket(names, name);
    return name;
}

void meas_names_done(struct meas_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i]->text);
        free(names->items[i]);
    }
    free(names->items);
    free(names->buckets);
    memset(names, 0, sizeof *names);
}
