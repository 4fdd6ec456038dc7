/* SPDX-License-Identifier: BSD-3-Clause */
/* unseen.c: report calls that an interposer could not see. */
#include "mastermind/preload/unseen.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/preload/object.h"
#include "mastermind/preload/symbols.h"
#include "proxies/interpose.h"

enum { NAMED = 4, ROOM = 700 };

/* Reason why a function's calls were not seen. */
enum kind {
    NOWHERE,   /* no object defines it */
    STATIC,    /* the program's file defines a function of that name itself */
    IMPORTED,  /* the program imports it, so that calls would be seen: there was none */
    ITSELF,    /* only the library itself imports it */
    NOBODY,    /* no object imports it */
    LOADED,    /* no object imports it; dlopen loaded its library */
    DIRECT,    /* an object is bound to the function directly */
    INSIDE,    /* its library may call it directly */
    SYMBOLIC,  /* its library was linked with -Bsymbolic */
    PROTECTED, /* the symbol has protected visibility */
    SYSCALL    /* the program may make the system call without the C library */
};

/* Functions with the same reason. */
struct group {
    enum kind kind;
    /* name of the object that defines the functions, and of an object that imports
     * them */
    char object[256], other[256];
    const char *names[NAMED];
    size_t count;
};

struct groups {
    struct group *list;
    size_t count;
};

static void group_add(struct groups *groups, enum kind kind, const char *object,
                      const char *other, const char *name)
{
    struct group *group = NULL;

    for (size_t i = 0; i < groups->count && !group; i++)
        if (groups->list[i].kind == kind && strcmp(groups->list[i].object, object) == 0 &&
            strcmp(groups->list[i].other, other) == 0)
            group = &groups->list[i];
    if (!group) {
        group = cca_array_add(&groups->list, &groups->count, sizeof *group);
        if (!group)
            return;
        group->kind = kind;
        snprintf(group->object, sizeof group->object, "%s", object);
        snprintf(group->other, sizeof group->other, "%s", other);
    }
    if (group->count < NAMED)
        group->names[group->count] = name;
    group->count++;
}

/* --- Functions that the program defines itself ---------------------------- */

struct own {
    const char *symbol;
    int found;
};

static int by_symbol(const void *a, const void *b)
{
    return strcmp(((const struct own *)a)->symbol, ((const struct own *)b)->symbol);
}

struct own_list {
    struct own *list;
    size_t count;
};

static void meet(void *context, const char *name)
{
    const struct own_list *own = context;
    const struct own key = {name, 0};
    struct own *found = bsearch(&key, own->list, own->count, sizeof key, by_symbol);

    if (found)
        found->found = 1;
}

/* List those functions of the library that the program's own file defines; empty if
 * unknown. */
static struct own_list read_own(const struct interpose_library *library)
{
    struct own_list own = {calloc(library->function_count + 1, sizeof *own.list), 0};

    for (size_t i = 0; own.list && i < library->function_count; i++)
        own.list[own.count++].symbol = library->functions[i].symbol;
    if (!own.list)
        return own;
    qsort(own.list, own.count, sizeof *own.list, by_symbol);
    mm_program_functions(meet, &own);
    return own;
}

static int is_own(const struct own_list *own, const char *symbol)
{
    const struct own key = {symbol, 0};
    const struct own *found =
        own->count ? bsearch(&key, own->list, own->count, sizeof key, by_symbol) : NULL;

    return found && found->found;
}

/* --- System calls --------------------------------------------------------- */

/* Names of functions that do no more than a system call, with a blank before and after
 * each. */
static const char system_calls[] = " read write readv writev pread pread64 pwrite "
                                   "pwrite64 preadv pwritev open open64 openat "
                                   "openat64 close lseek lseek64 fsync fdatasync "
                                   "ftruncate ftruncate64 fallocate fallocate64 mmap "
                                   "mmap64 munmap msync madvise send sendto sendmsg recv "
                                   "recvfrom recvmsg connect accept accept4 "
                                   "poll ppoll select epoll_wait nanosleep "
                                   "clock_nanosleep getrandom copy_file_range sendfile ";

static void find_system_calls(struct groups *groups,
                              const struct interpose_function *function)
{
    void *call = dlsym(RTLD_DEFAULT, "syscall");
    struct mm_importers importers;
    struct mm_object object;
    char word[80];

    snprintf(word, sizeof word, " %.60s ", function->symbol);
    if (!call || !strstr(system_calls, word) || mm_object_of(call, &object) < 0)
        return;
    mm_object_importers("syscall", call, object.name, &importers);
    if (importers.count)
        group_add(groups, SYSCALL, object.name, importers.name, function->name);
}

/* --- Reasons -------------------------------------------------------------- */

static void find_reason(struct groups *groups, const struct interpose_function *function,
                        const struct own_list *own)
{
    void *real = function->real.address ? function->real.address
                                        : mm_object_find(function->symbol);
    struct mm_object object;
    struct mm_importers importers;

    if (is_own(own, function->symbol))
        group_add(groups, STATIC, "", "", function->name);
    else if (!real)
        group_add(groups, NOWHERE, "", "", function->name);
    if (!real)
        return;
    if (mm_object_of(real, &object) < 0)
        snprintf(object.name, sizeof object.name, "its library");
    mm_object_importers(function->symbol, real, object.name, &importers);
    if (!function->method)
        group_add(groups,
                  importers.count    ? IMPORTED
                  : importers.itself ? ITSELF
                  : importers.needed ? NOBODY
                                     : LOADED,
                  object.name, importers.name, function->name);
    if (importers.direct)
        group_add(groups, DIRECT, object.name, importers.direct_name, function->name);
    find_system_calls(groups, function);
    if (importers.is_protected)
        group_add(groups, PROTECTED, object.name, "", function->name);
    else if (importers.symbolic)
        group_add(groups, SYMBOLIC, object.name, "", function->name);
    else if (function->method && !importers.itself)
        group_add(groups, INSIDE, object.name, "", function->name);
}

/* Write the names of the group's functions, as "a, b and 3 more". */
static void name_all(const struct group *group, char text[ROOM])
{
    size_t shown = group->count < NAMED ? group->count : NAMED, length = 0;

    *text = 0;
    for (size_t i = 0; i < shown; i++) {
        int last = i > 0 && i + 1 == shown && shown == group->count;

        length += (size_t)snprintf(text + length, ROOM - length, "%s%.100s",
                                   !i     ? ""
                                   : last ? " and "
                                          : ", ",
                                   group->names[i]);
    }
    if (group->count > shown)
        snprintf(text + length, ROOM - length, " and %zu more", group->count - shown);
}

static void describe(const struct group *group, char text[2 * ROOM])
{
    const char *it = group->count > 1 ? "them" : "it", *object = group->object;
    const char *other = *group->other ? group->other : program_invocation_short_name;
    char names[ROOM];

    name_all(group, names);
    switch (group->kind) {
    case NOWHERE:
        snprintf(text, 2 * ROOM,
                 "0 calls of %s seen: no shared library of this process has %s; the "
                 "program does not use %s or is linked with %s statically",
                 names, it, it, it);
        break;
    case STATIC:
        snprintf(text, 2 * ROOM,
                 "calls of %s by %s itself are not seen: it is linked with %s "
                 "statically",
                 names, program_invocation_short_name, it);
        break;
    case IMPORTED:
        snprintf(text, 2 * ROOM, "0 calls of %s seen, though %s imports %s from %s",
                 names, other, it, object);
        break;
    case ITSELF:
        snprintf(text, 2 * ROOM, "0 calls of %s seen: only %s itself imports %s", names,
                 object, it);
        break;
    case NOBODY:
        snprintf(text, 2 * ROOM,
                 "0 calls of %s seen: no object imports %s from %s; calls from "
                 "inside %s are not seen",
                 names, it, object, object);
        break;
    case LOADED:
        snprintf(text, 2 * ROOM,
                 "0 calls of %s seen: no object is linked with %s, and calls through "
                 "addresses from dlsym are not seen",
                 names, object);
        break;
    case DIRECT:
        snprintf(text, 2 * ROOM,
                 "calls of %s by %s are not seen: it was bound to %s directly, as "
                 "RTLD_DEEPBIND does",
                 names, other, object);
        break;
    case INSIDE:
        snprintf(text, 2 * ROOM,
                 "calls of %s from inside %s, if any, are not seen: it binds them "
                 "itself",
                 names, object);
        break;
    case SYMBOLIC:
        snprintf(text, 2 * ROOM,
                 "calls of %s from inside %s are not seen: it was linked with "
                 "-Bsymbolic",
                 names, object);
        break;
    case PROTECTED:
        snprintf(text, 2 * ROOM,
                 "calls of %s from inside %s are not seen: %s visibility is protected",
                 names, object, group->count > 1 ? "their" : "its");
        break;
    case SYSCALL:
        snprintf(text, 2 * ROOM,
                 "calls of %s that %s makes by syscall(), if any, are not seen", names,
                 other);
        break;
    }
}

void mm_unseen_tell(struct interpose_library *library,
                    void (*tell)(void *context, const char *line), void *context)
{
    struct groups groups = {NULL, 0};
    struct own_list own = {NULL, 0};
    size_t called = 0;
    char text[2 * ROOM];

    if (!library->instance)
        own = read_own(library);

    for (size_t i = 0; i < library->function_count; i++) {
        const struct interpose_function *function = &library->functions[i];

        called += function->method && monitor_method_on(function->method);
        if (!library->instance)
            find_reason(&groups, function, &own);
    }
    /* a table's members are not reported one by one: a program may never call most of
     * them */
    if (library->instance && !called) {
        snprintf(text, sizeof text,
                 "0 calls through %.200s '%.200s' seen: the inner table was used "
                 "instead, or none",
                 library->port, library->instance);
        tell(context, text);
    }
    for (size_t i = 0; i < groups.count; i++) {
        describe(&groups.list[i], text);
        tell(context, text);
    }
    free(groups.list);
    free(own.list);
}
