/* SPDX-License-Identifier: BSD-3-Clause */
/* typemap.c: typed maps (gov.cca.TypeMap): few keys, kept in order of first put. */
#include "framework/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

union typed {
    int64_t i;
    double d;
    char *s;
};

struct entry {
    char *key;
    enum cca_type type;
    union typed value;
};

struct cca_typemap {
    struct entry *entries;
    size_t count, capacity;
};

struct cca_typemap *cca_typemap_new(void)
{
    return calloc(1, sizeof(struct cca_typemap));
}

static void entry_done(struct entry *entry)
{
    if (entry->type == CCA_STRING)
        free(entry->value.s);
    free(entry->key);
}

void cca_typemap_free(struct cca_typemap *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->count; i++)
        entry_done(&map->entries[i]);
    free(map->entries);
    free(map);
}

static struct entry *find(const struct cca_typemap *map, const char *key)
{
    for (size_t i = 0; map && i < map->count; i++)
        if (!strcmp(map->entries[i].key, key))
            return &map->entries[i];
    return NULL;
}

/* Takes over value.s of a string, also on failure. */
static int put(struct cca_typemap *map, const char *key, enum cca_type type,
               union typed value)
{
    struct entry *entry = find(map, key);
    int status = -ENOMEM;

    if (entry && entry->type == type) {
        if (type == CCA_STRING)
            free(entry->value.s);
        entry->value = value;
        return 0;
    }
    if (entry || !*key) {
        status = entry ? -EEXIST : -EINVAL;
        goto fail;
    }
    if (map->count == map->capacity) {
        size_t capacity = map->capacity ? 2 * map->capacity : 4;
        struct entry *entries = realloc(map->entries, capacity * sizeof *entries);

        if (!entries)
            goto fail;
        map->entries = entries;
        map->capacity = capacity;
    }
    entry = &map->entries[map->count];
    entry->key = strdup(key);
    if (!entry->key)
        goto fail;
    entry->type = type;
    entry->value = value;
    map->count++;
    return 0;
fail:
    if (type == CCA_STRING)
        free(value.s);
    return status;
}

int cca_typemap_put_int(struct cca_typemap *map, const char *key, int value)
{
    return put(map, key, CCA_INT, (union typed){.i = value});
}

int cca_typemap_put_long(struct cca_typemap *map, const char *key, int64_t value)
{
    return put(map, key, CCA_LONG, (union typed){.i = value});
}

int cca_typemap_put_double(struct cca_typemap *map, const char *key, double value)
{
    return put(map, key, CCA_DOUBLE, (union typed){.d = value});
}

int cca_typemap_put_bool(struct cca_typemap *map, const char *key, int value)
{
    return put(map, key, CCA_BOOL, (union typed){.i = value != 0});
}

int cca_typemap_put_string(struct cca_typemap *map, const char *key, const char *value)
{
    char *copy = strdup(value);

    return copy ? put(map, key, CCA_STRING, (union typed){.s = copy}) : -ENOMEM;
}

static const struct entry *find_typed(const struct cca_typemap *map, const char *key,
                                      enum cca_type type)
{
    const struct entry *entry = find(map, key);

    return entry && entry->type == type ? entry : NULL;
}

int cca_typemap_get_int(const struct cca_typemap *map, const char *key, int missing)
{
    const struct entry *entry = find_typed(map, key, CCA_INT);

    return entry ? (int)entry->value.i : missing;
}

int64_t cca_typemap_get_long(const struct cca_typemap *map, const char *key,
                             int64_t missing)
{
    const struct entry *entry = find_typed(map, key, CCA_LONG);

    return entry ? entry->value.i : missing;
}

double cca_typemap_get_double(const struct cca_typemap *map, const char *key,
                              double missing)
{
    const struct entry *entry = find_typed(map, key, CCA_DOUBLE);

    return entry ? entry->value.d : missing;
}

int cca_typemap_get_bool(const struct cca_typemap *map, const char *key, int missing)
{
    const struct entry *entry = find_typed(map, key, CCA_BOOL);

    return entry ? (int)entry->value.i : missing;
}

const char *cca_typemap_get_string(const struct cca_typemap *map, const char *key,
                                   const char *missing)
{
    const struct entry *entry = find_typed(map, key, CCA_STRING);

    return entry ? entry->value.s : missing;
}

enum cca_type cca_typemap_type_of(const struct cca_typemap *map, const char *key)
{
    const struct entry *entry = find(map, key);

    return entry ? entry->type : CCA_NONE;
}

const char *cca_typemap_key(const struct cca_typemap *map, size_t index)
{
    return map && index < map->count ? map->entries[index].key : NULL;
}

int cca_typemap_remove(struct cca_typemap *map, const char *key)
{
    struct entry *entry = find(map, key);

    if (!entry)
        return -ENOENT;
    entry_done(entry);
    map->count--;
    memmove(entry, entry + 1,
            (size_t)(map->entries + map->count - entry) * sizeof *entry);
    return 0;
}

int cca_typemap_merge(struct cca_typemap *map, const struct cca_typemap *from)
{
    for (size_t i = 0; from && i < from->count; i++) {
        const struct entry *entry = &from->entries[i];
        int status;

        if (entry->type == CCA_STRING)
            status = cca_typemap_put_string(map, entry->key, entry->value.s);
        else
            status = put(map, entry->key, entry->type, entry->value);
        if (status)
            return status;
    }
    return 0;
}
