/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: names of places in code, from addr2line in child processes: it reads all
 * formats of debug information, and a broken file can only crash the child. */
#include "messages/read/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "messages/read/lookup.h"
#include "messages/read/parts.h"

enum { CHILDREN = 4 };

struct object {
    char *path;
    int usable; /* 1: the object's file exists and has the expected build id */
};

struct mm_names {
    /* table of struct object by hash of path and build id */
    struct mm_word_table objects;
    struct mm_word_table places; /* table of names (char *) by object and offset */
    struct {
        struct object *object;
        struct mm_lookup *lookup;
        uint64_t used;
    } children[CHILDREN];
    uint64_t clock;
};

struct mm_names *mm_names_new(void)
{
    struct mm_names *names = calloc(1, sizeof *names);

    if (!names)
        return NULL;
    mm_word_table_init(&names->objects, 3, sizeof(struct object));
    mm_word_table_init(&names->places, 2, sizeof(char *));
    return names;
}

void mm_names_free(struct mm_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < CHILDREN; i++)
        mm_lookup_free(names->children[i].lookup);
    for (size_t i = 0; i < names->places.count; i++)
        free(*(char **)mm_word_table_value(&names->places, i));
    for (size_t i = 0; i < names->objects.count; i++)
        free(((struct object *)mm_word_table_value(&names->objects, i))->path);
    mm_word_table_done(&names->places);
    mm_word_table_done(&names->objects);
    free(names);
}

static struct object *find_object(struct mm_names *names, const char *path,
                                  const uint8_t *build_id, uint32_t build_id_bytes)
{
    const uint64_t key[] = {cca_hash_bytes(CCA_HASH_START, path, strlen(path)),
                            cca_hash_bytes(strlen(path), path, strlen(path)),
                            cca_hash_bytes(build_id_bytes, build_id, build_id_bytes)};
    struct object *object = mm_word_table_add(&names->objects, key);

    if (!object || object->path)
        return object;
    object->path = strdup(path);
    object->usable = object->path && mm_lookup_is_object(path, build_id, build_id_bytes);
    return object->path ? object : NULL;
}

/* The addr2line child for an object; the least recently used child is ended to make room.
 * NULL: there is none. */
static struct mm_lookup *find_child(struct mm_names *names, struct object *object)
{
    size_t oldest = 0;

    for (size_t i = 0; i < CHILDREN; i++) {
        if (names->children[i].object == object) {
            names->children[i].used = ++names->clock;
            return names->children[i].lookup;
        }
        if (names->children[i].used < names->children[oldest].used)
            oldest = i;
    }
    mm_lookup_free(names->children[oldest].lookup);
    names->children[oldest].object = object;
    names->children[oldest].used = ++names->clock;
    names->children[oldest].lookup = mm_lookup_new(object->path);
    return names->children[oldest].lookup;
}

static char *make_name(struct mm_names *names, struct object *object, const char *path,
                       uint64_t offset)
{
    struct mm_lookup *lookup = object->usable ? find_child(names, object) : NULL;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char function[256] = "", line[256] = "", *text = NULL;

    if (lookup)
        mm_lookup_place(lookup, offset, function, line);
    if (*function && *line)
        return asprintf(&text, "%s %s", function, line) < 0 ? NULL : text;
    return asprintf(&text, "%s%s%s+0x%llx", function, *function ? " " : "",
                    *base ? base : "(unknown)", (unsigned long long)offset) < 0
               ? NULL
               : text;
}

const char *mm_names_site(struct mm_names *names, const char *path,
                          const uint8_t *build_id, uint32_t build_id_bytes,
                          uint64_t offset)
{
    struct object *object = find_object(names, path, build_id, build_id_bytes);
    const uint64_t key[] = {(uint64_t)(uintptr_t)object, offset};
    char **name = object ? mm_word_table_add(&names->places, key) : NULL;

    if (name && !*name)
        *name = make_name(names, object, path, offset);
    return name && *name ? *name : "(out of memory)";
}
