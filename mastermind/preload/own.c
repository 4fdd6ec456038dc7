/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c: record invocations of a program's own functions and regions. */
#include "mastermind/preload/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/format/layout.h"

/* Deepest recorded nesting in a thread; deeper invocations have no row. Addresses more
 * than FAR bytes apart belong to different stacks: a signal handler or a coroutine may
 * have its own. */
enum { DEEPEST = 1024, FAR = 8 << 20 };

struct open_call {
    const void *key;
    uintptr_t stack;    /* 0: unknown */
    struct mm_own *own; /* NULL: not recorded */
    struct monitor_frame *frame;
};

static __thread struct {
    struct open_call call[DEEPEST];
    unsigned beyond;
} * open_calls;
__thread unsigned mm_own_depth;
/* number of calls without a row, of all threads; access by __atomic */
static uint64_t without;

/* The program's name without dots, because names of instances must not contain dots. */
static const char *instance_name(void)
{
    static char name[256];

    if (!*name) {
        char made[256];

        snprintf(made, sizeof made, "%s", program_invocation_short_name);
        for (char *c = made; *c; c++)
            if (*c == '.')
                *c = '_';
        memcpy(name, made, sizeof name);
    }
    return name;
}

int mm_own_values(struct mm_own *own, size_t count)
{
    if (cca_array_extend(&own->values, &own->value_room, sizeof *own->values, count))
        return -ENOMEM;
    own->function.values = own->values;
    return 0;
}

struct mm_own *mm_own_new(const char *name, const char *port, enum mm_entry_kind entry,
                          void *address)
{
    size_t length = strlen(name);
    struct mm_own *own = calloc(1, sizeof *own + length + 1);

    if (!own)
        return NULL;
    own->name = memcpy(own + 1, name, length + 1);
    own->library = (struct interpose_library){.abi = INTERPOSE_ABI,
                                              .size = sizeof own->library,
                                              .header = mm_entry_names[entry],
                                              .instance = instance_name(),
                                              .port = port,
                                              .functions = &own->function,
                                              .function_count = 1};
    own->function.name = own->name;
    own->function.real.address = address;
    return own;
}

enum mm_entry_kind mm_own_entry(const struct interpose_library *library)
{
    for (int entry = MM_ENTRY_PATCHED; entry < MM_ENTRIES; entry++)
        if (library->header == mm_entry_names[entry])
            return (enum mm_entry_kind)entry;
    return MM_ENTRY_INTERPOSER;
}

/* Close the invocations whose stack frames have lower addresses than `stack`: the stack
 * grows downwards, so that these have ended. An invocation of the function `key` in the
 * frame at `stack` itself has ended, too; an invocation of another function there may be
 * the caller, into which `key` is inlined. */
static void bury(uintptr_t stack, const void *key)
{
    unsigned dead = mm_own_depth;

    for (unsigned at = mm_own_depth; at-- > 0;) {
        uintptr_t there = open_calls->call[at].stack;

        if (there > stack)
            break;
        if (there && stack - there < FAR &&
            (there < stack || open_calls->call[at].key == key))
            dead = at;
    }
    while (mm_own_depth > dead) {
        struct open_call *call = &open_calls->call[--mm_own_depth];
        struct interpose_call left = {NULL, call->frame};

        if (call->own && call->frame)
            left.monitor = call->own->library.monitor;
        interpose_unwind(&left);
    }
}

void mm_own_begin(struct mm_own *own, const void *key, uintptr_t stack,
                  const union monitor_value *in)
{
    struct open_call *call;

    if (mm_interpose_busy)
        return;
    if (!open_calls) {
        mm_interpose_busy = 1;
        open_calls = calloc(1, sizeof *open_calls);
        mm_interpose_busy = 0;
        if (!open_calls)
            return;
    }
    if (stack && mm_own_depth)
        bury(stack, key);
    if (mm_own_depth == DEEPEST) {
        open_calls->beyond++;
        __atomic_fetch_add(&without, 1, __ATOMIC_RELAXED);
        return;
    }
    call = &open_calls->call[mm_own_depth++];
    *call = (struct open_call){.key = key, .stack = stack};
    /* nothing of a call stays on the stack, so calls may be deep (mm_preload_is_deep) */
    if (interpose_is_off(&own->function) ||
        (!own->function.method && !interpose_open(&own->library, &own->function)))
        return;
    call->own = own;
    call->frame = interpose_begin(&own->library, &own->function, in).frame;
    if (call->frame)
        mm_recorder_hold(own->library.monitor);
}

void mm_own_end(const void *key)
{
    unsigned at;

    if (!open_calls || mm_interpose_busy)
        return;
    if (open_calls->beyond) {
        open_calls->beyond--;
        return;
    }
    at = mm_own_depth;
    while (at > 0 && key && open_calls->call[at - 1].key != key)
        at--;
    if (at == 0)
        return; /* the invocation began before recording started */
    mm_own_depth = at - 1;
    if (open_calls->call[at - 1].own) {
        struct interpose_call call = {open_calls->call[at - 1].own->library.monitor,
                                      open_calls->call[at - 1].frame};

        interpose_end(&call, NULL);
    }
}

void mm_own_unwound(struct mm_own *own, struct monitor_frame *frame, uint64_t number,
                    unsigned depth)
{
    const struct mm_frame *opened =
        (const struct mm_frame *)((uintptr_t)frame & ~(uintptr_t)1);
    struct interpose_call left = {own->library.monitor, frame};

    if (mm_own_depth > depth)
        mm_own_depth = depth;
    if (opened->invocation == number && opened->check)
        interpose_unwind(&left);
}

uint64_t mm_own_without(void)
{
    return __atomic_load_n(&without, __ATOMIC_RELAXED);
}
