/* SPDX-License-Identifier: BSD-3-Clause */
/* table_proxy.h: shared code of generated table proxies: tables of functions that forward
 * to another table of the same type, and record each call under a name.
 *
 * Functions of a table need not receive an argument that identifies the table, and users
 * may copy a table. So there is a fixed number of outer tables, the slots, each with its
 * own functions. A table that is wrapped again under the same name keeps its slot. If no
 * slot is left, the inner table itself is returned, the first time with a message.
 *
 * The runtime, libmm_preload.so, is searched when the first table is wrapped. Without it
 * (the program was not started by `mastermind record`) calls are only forwarded. */
#ifndef PROXIES_TABLE_PROXY_H
#define PROXIES_TABLE_PROXY_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct interpose_library;
struct interpose_function;

/* Functions of the recorder's runtime, which are found by name. */
static struct table_runtime {
    void (*add)(struct interpose_library *library);
    void (*remove)(struct interpose_library *library);
    void (*open)(struct interpose_library *library, struct interpose_function *function);
    int *(*busy)(void);
    int (*is_deep)(void); /* NULL in older versions */
    pthread_mutex_t lock; /* lock that is held while a table is wrapped */
    int looked_for;
} table_runtime = {NULL, NULL, NULL, NULL, NULL, PTHREAD_MUTEX_INITIALIZER, 0};

#define INTERPOSE_BUSY (*table_runtime.busy())
#define INTERPOSE_OPEN(library, function) table_runtime.open(library, function)
#define INTERPOSE_DEEP (table_runtime.is_deep && table_runtime.is_deep())
#include "proxies/interpose_call.h"

/* The head of every slot, the memory for one wrapped table. */
struct table_slot {
    const void *inner; /* the inner (wrapped) table; NULL: the slot is free; __atomic */
    struct interpose_library library;
    char name[64];
};

/* One type of table. */
struct table_type {
    const char *name;   /* "sqlite3_vfs" */
    const char *header; /* "sqlite3.h" */
    void *slots;
    size_t slot_count;
    size_t slot_size, outer; /* size of a slot in bytes; offset of the outer table in
                              * it */
    const struct interpose_function *functions;
    size_t functions_at, function_count; /* offset and number of the copies of
                                          * `functions` in a slot */
    /* Make the outer table of the slot: copy data members, set the proxy's functions
     * where the inner table has functions, and store the addresses of the inner
     * functions. */
    void (*fill)(void *slot, size_t index, const void *inner);
    int full; /* true if the message that all slots are used was printed */
};

/* Used in `fill`: set the proxy's function `member` if the inner table has this function,
 * and store the inner function's address. */
#define TABLE_PUT(type, member, index)                                                   \
    do {                                                                                 \
        if (offsetof(type, member) < pg_size && pg_inner->member) {                      \
            memcpy((void *)&pg_slot->outer.member, (const void *)&pg_own->member,        \
                   sizeof pg_own->member);                                               \
            pg_slot->functions[index].real.call = (void (*)(void))pg_inner->member;      \
        }                                                                                \
    } while (0)

static inline struct table_slot *table_slot_at(const struct table_type *type,
                                               size_t index)
{
    return (struct table_slot *)((char *)type->slots + index * type->slot_size);
}

static inline void *table_outer(const struct table_type *type, struct table_slot *slot)
{
    return (char *)slot + type->outer;
}

/* Make a valid instance name: without dots, slashes and unprintable characters. */
static inline void table_slot_name(const struct table_type *type, const char *name,
                                   char text[64])
{
    snprintf(text, 64, "%s", name && *name ? name : type->name);
    for (char *c = text; *c; c++)
        if (*c == '.' || *c == '/' || (unsigned char)*c <= ' ' ||
            (unsigned char)*c >= 127)
            *c = '_';
}

/* Return the slot of a table under a name; NULL: none. */
static inline struct table_slot *table_find(const struct table_type *type,
                                            const void *inner, const char *name)
{
    for (size_t i = 0; i < type->slot_count; i++) {
        struct table_slot *slot = table_slot_at(type, i);
        const void *found = __atomic_load_n(&slot->inner, __ATOMIC_ACQUIRE);

        if (!found)
            return NULL;
        if (found == inner && strcmp(slot->name, name) == 0)
            return slot;
    }
    return NULL;
}

static inline void table_find_runtime(void)
{
    union {
        void *address;
        void (*library)(struct interpose_library *library);
        void (*open)(struct interpose_library *library,
                     struct interpose_function *function);
        int *(*busy)(void);
        int (*is_deep)(void);
    } found;

    if (table_runtime.looked_for)
        return;
    table_runtime.looked_for = 1;
    found.address = dlsym(RTLD_DEFAULT, "mm_preload_register");
    table_runtime.add = found.library;
    found.address = dlsym(RTLD_DEFAULT, "mm_preload_forget");
    table_runtime.remove = found.library;
    found.address = dlsym(RTLD_DEFAULT, "mm_preload_open");
    table_runtime.open = found.open;
    found.address = dlsym(RTLD_DEFAULT, "mm_preload_busy");
    table_runtime.busy = found.busy;
    found.address = dlsym(RTLD_DEFAULT, "mm_preload_is_deep");
    table_runtime.is_deep = found.is_deep;
    if (!table_runtime.add || !table_runtime.remove || !table_runtime.open)
        table_runtime.busy = NULL;
}

/* Assign slot `index` to `inner`. */
static inline void table_take(struct table_type *type, size_t index, const void *inner,
                              const char *name)
{
    struct table_slot *slot = table_slot_at(type, index);
    struct interpose_function *functions =
        (struct interpose_function *)((char *)slot + type->functions_at);

    table_find_runtime();
    snprintf(slot->name, sizeof slot->name, "%s", name);
    memcpy(functions, type->functions, type->function_count * sizeof *functions);
    memset(&slot->library, 0, sizeof slot->library);
    slot->library.abi = INTERPOSE_ABI;
    slot->library.size = sizeof slot->library;
    slot->library.header = type->header;
    slot->library.instance = slot->name;
    slot->library.port = type->name;
    slot->library.functions = functions;
    slot->library.function_count = type->function_count;
    for (size_t i = 0; !table_runtime.busy && i < type->function_count; i++)
        functions[i].method = &interpose_off;
    type->fill(slot, index, inner);
    if (table_runtime.busy)
        table_runtime.add(&slot->library);
    __atomic_store_n(&slot->inner, inner, __ATOMIC_RELEASE);
}

static inline void *table_wrap_new(struct table_type *type, const void *inner,
                                   const char *name)
{
    struct table_slot *slot = table_find(type, inner, name);

    for (size_t i = 0; !slot && i < type->slot_count; i++)
        if (!table_slot_at(type, i)->inner) {
            table_take(type, i, inner, name);
            slot = table_slot_at(type, i);
        }
    if (slot)
        return table_outer(type, slot);
    if (!type->full++)
        fprintf(stderr, "%s: more than %zu tables: those that follow are not recorded\n",
                type->name, type->slot_count);
    return (void *)inner;
}

/* Wrap the table `inner`: implements the generated function TYPE_wrap. */
static inline void *table_wrap(struct table_type *type, const void *inner,
                               const char *name)
{
    const char *first = (const char *)type->slots;
    struct table_slot *slot;
    int number = errno;
    char own[64];
    void *outer;

    /* `inner` is no table, or already an outer table */
    if (!inner || ((const char *)inner >= first &&
                   (const char *)inner < first + type->slot_count * type->slot_size))
        return (void *)inner;
    table_slot_name(type, name, own);
    slot = table_find(type, inner, own);
    if (slot)
        return table_outer(type, slot);
    pthread_mutex_lock(&table_runtime.lock);
    outer = table_wrap_new(type, inner, own);
    pthread_mutex_unlock(&table_runtime.lock);
    errno = number;
    return outer;
}

/* Unregister all tables of a type. It runs as destructor, because the runtime outlives
 * the tables of this file. */
static inline void table_leave(const struct table_type *type)
{
    for (size_t i = 0; i < type->slot_count; i++)
        if (table_slot_at(type, i)->inner && table_runtime.busy)
            table_runtime.remove(&table_slot_at(type, i)->library);
}

#endif
