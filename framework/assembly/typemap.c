/* SPDX-License-Identifier: BSD-3-Clause */
/* typemap.c: typed maps (gov.cca.TypeMap) for few keys, in the order in which keys were
 * first put. */
#include "common/array.h"
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

union typed {
    int64_t i;
    float f;
    double d;
    float fcomplex[2];
    double dcomplex[2];
    char *s;
    struct {
        void *elements; /* elements of the array; for strings, the pointers and then the
                           texts */
        size_t count;
    } array;
};

struct entry {
    char *key;
    enum cca_type type;
    union typed value;
};

struct cca_typemap {
    struct entry *entries;
    size_t count;
};

struct cca_typemap *cca_typemap_new(void)
{
    return calloc(1, sizeof(struct cca_typemap));
}

static int is_array(enum cca_type type)
{
    return type >= CCA_INT_ARRAY && type <= CCA_BOOL_ARRAY;
}

static void value_done(enum cca_type type, union typed value)
{
    if (type == CCA_STRING)
        free(value.s);
    else if (is_array(type))
        free(value.array.elements);
}

static void entry_done(struct entry *entry)
{
    value_done(entry->type, entry->value);
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

static struct entry *find_entry(const struct cca_typemap *map, const char *key)
{
    for (size_t i = 0; map && key && i < map->count; i++)
        if (!strcmp(map->entries[i].key, key))
            return &map->entries[i];
    return NULL;
}

/* Put a value; takes ownership of the memory of a string or an array, also on failure. */
static int put_value(struct cca_typemap *map, const char *key, enum cca_type type,
                     union typed value)
{
    struct entry *entry = find_entry(map, key);
    int status = -ENOMEM;

    if (entry && entry->type == type) {
        value_done(type, entry->value);
        entry->value = value;
        return 0;
    }
    if (entry || !map || !key || !*key) {
        status = entry ? -EEXIST : -EINVAL;
        goto fail;
    }
    if (cca_array_reserve(&map->entries, map->count, sizeof *map->entries))
        goto fail;
    entry = &map->entries[map->count];
    entry->key = strdup(key);
    if (!entry->key)
        goto fail;
    entry->type = type;
    entry->value = value;
    map->count++;
    return 0;
fail:
    value_done(type, value);
    return status;
}

int cca_typemap_put_int(struct cca_typemap *map, const char *key, int value)
{
    return put_value(map, key, CCA_INT, (union typed){.i = value});
}

int cca_typemap_put_long(struct cca_typemap *map, const char *key, int64_t value)
{
    return put_value(map, key, CCA_LONG, (union typed){.i = value});
}

int cca_typemap_put_float(struct cca_typemap *map, const char *key, float value)
{
    return put_value(map, key, CCA_FLOAT, (union typed){.f = value});
}

int cca_typemap_put_fcomplex(struct cca_typemap *map, const char *key,
                             const float value[2])
{
    return value ? put_value(map, key, CCA_FCOMPLEX,
                             (union typed){.fcomplex = {value[0], value[1]}})
                 : -EINVAL;
}

int cca_typemap_put_dcomplex(struct cca_typemap *map, const char *key,
                             const double value[2])
{
    return value ? put_value(map, key, CCA_DCOMPLEX,
                             (union typed){.dcomplex = {value[0], value[1]}})
                 : -EINVAL;
}

static size_t element_size(enum cca_type type)
{
    static const size_t sizes[] = {sizeof(int),    sizeof(int64_t),  sizeof(float),
                                   sizeof(double), sizeof(float[2]), sizeof(double[2]),
                                   sizeof(char *), sizeof(int)};

    return sizes[type - CCA_INT_ARRAY];
}

/* True if one of the strings is NULL. */
static int lacks_one(enum cca_type type, const void *values, size_t count)
{
    const char *const *strings = values;

    for (size_t i = 0; type == CCA_STRING_ARRAY && i < count; i++)
        if (!strings[i])
            return 1;
    return 0;
}

/* Copy strings into one block of memory: the pointers, then the texts. */
static char **copy_strings(const char *const *strings, size_t count)
{
    size_t size = (count + 1) * sizeof(char *);
    char **copy, *to;

    for (size_t i = 0; i < count; i++)
        size += strlen(strings[i]) + 1;
    copy = malloc(size);
    if (!copy)
        return NULL;
    to = (char *)(copy + count + 1);
    for (size_t i = 0; i < count; i++) {
        copy[i] = to;
        to = stpcpy(to, strings[i]) + 1;
    }
    copy[count] = NULL;
    return copy;
}

int cca_typemap_put_array(struct cca_typemap *map, const char *key, enum cca_type type,
                          const void *values, size_t count)
{
    void *copy;

    if (!is_array(type) || (!values && count) || lacks_one(type, values, count))
        return -EINVAL;
    if (count > PTRDIFF_MAX / (2 * sizeof(double)) - 1)
        return -ENOMEM;
    if (type == CCA_STRING_ARRAY)
        copy = copy_strings(values, count);
    else if ((copy = malloc((count + 1) * element_size(type))) && count)
        memcpy(copy, values, count * element_size(type));
    return copy ? put_value(map, key, type, (union typed){.array = {copy, count}})
                : -ENOMEM;
}

int cca_typemap_put_double(struct cca_typemap *map, const char *key, double value)
{
    return put_value(map, key, CCA_DOUBLE, (union typed){.d = value});
}

int cca_typemap_put_bool(struct cca_typemap *map, const char *key, int value)
{
    return put_value(map, key, CCA_BOOL, (union typed){.i = value != 0});
}

int cca_typemap_put_string(struct cca_typemap *map, const char *key, const char *value)
{
    char *copy = value ? strdup(value) : NULL;

    if (!value)
        return -EINVAL;
    return copy ? put_value(map, key, CCA_STRING, (union typed){.s = copy}) : -ENOMEM;
}

static const struct entry *find_typed(const struct cca_typemap *map, const char *key,
                                      enum cca_type type)
{
    const struct entry *entry = find_entry(map, key);

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

float cca_typemap_get_float(const struct cca_typemap *map, const char *key, float missing)
{
    const struct entry *entry = find_typed(map, key, CCA_FLOAT);

    return entry ? entry->value.f : missing;
}

const float *cca_typemap_get_fcomplex(const struct cca_typemap *map, const char *key,
                                      const float missing[2])
{
    const struct entry *entry = find_typed(map, key, CCA_FCOMPLEX);

    return entry ? entry->value.fcomplex : missing;
}

const double *cca_typemap_get_dcomplex(const struct cca_typemap *map, const char *key,
                                       const double missing[2])
{
    const struct entry *entry = find_typed(map, key, CCA_DCOMPLEX);

    return entry ? entry->value.dcomplex : missing;
}

const void *cca_typemap_get_array(const struct cca_typemap *map, const char *key,
                                  enum cca_type type, size_t *count)
{
    const struct entry *entry = is_array(type) ? find_typed(map, key, type) : NULL;

    *count = entry ? entry->value.array.count : 0;
    return entry ? entry->value.array.elements : NULL;
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
    const struct entry *entry = find_entry(map, key);

    return entry ? entry->type : CCA_NONE;
}

const char *cca_typemap_key(const struct cca_typemap *map, size_t index)
{
    return map && index < map->count ? map->entries[index].key : NULL;
}

int cca_typemap_remove(struct cca_typemap *map, const char *key)
{
    struct entry *entry = find_entry(map, key);

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
        else if (is_array(entry->type))
            status = cca_typemap_put_array(map, entry->key, entry->type,
                                           entry->value.array.elements,
                                           entry->value.array.count);
        else
            status = put_value(map, entry->key, entry->type, entry->value);
        if (status)
            return status;
    }
    return 0;
}

struct cca_typemap *cca_typemap_clone(const struct cca_typemap *map)
{
    struct cca_typemap *clone = cca_typemap_new();

    if (clone && cca_typemap_merge(clone, map)) {
        cca_typemap_free(clone);
        return NULL;
    }
    return clone;
}
