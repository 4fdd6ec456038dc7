/* SPDX-License-Identifier: BSD-3-Clause */
/* own.h: a program's own functions and regions, recorded as methods of an instance that
 * has the program's name. */
#ifndef MASTERMIND_PRELOAD_OWN_H
#define MASTERMIND_PRELOAD_OWN_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/recorder/recorder.h"
#include "proxies/interpose.h"

/* One function or region. Never freed. */
struct mm_own {
    struct interpose_library library;
    struct interpose_function function;
    struct monitor_value_decl *values; /* [value_room] declarations of the values */
    size_t value_room;
    char *name;
    struct monitor_method *reserved; /* method that takes its id at the first call; NULL:
                                        none, or it was refused */
    char *written;                   /* of mm_called_escaped, or NULL */
    const char *shared;              /* of mm_called_shared */
};

/* Make a function or region.
 *
 *   name     in  borrowed for the call
 *   port     in  "function" or "region", not copied
 *   entry    in  kind of entry by which its calls reach the recorder
 *   address  in  an address in its object
 *
 * New, or NULL: out of memory. The caller adds the values, with names that it owns,
 * before the first call. */
struct mm_own *mm_own_new(const char *name, const char *port, enum mm_entry_kind entry,
                          void *address);
/* Make room for `count` values. 0 or -ENOMEM. */
int mm_own_values(struct mm_own *own, size_t count);
/* The kind of entry for functions of this library: the program's own, or interposed. */
enum mm_entry_kind mm_own_entry(const struct interpose_library *library);
/* Begin an invocation, and store it for the thread under `key`. `stack` is an address in
 * the caller's frame, by which invocations that longjmp has left are found and closed as
 * unwound; 0: unknown. */
void mm_own_begin(struct mm_own *own, const void *key, uintptr_t stack,
                  const union monitor_value *in);
/* End the innermost invocation of this key and all inside it; NULL: the innermost of
 * all. */
void mm_own_end(const void *key);

/* Number of invocations of regions and instrumented functions open in the thread. */
extern __thread unsigned mm_own_depth
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
/* Close as unwound the invocation `number` of `frame`, which an exception has left, and
 * all in it. `depth`: value of mm_own_depth when it began. */
void mm_own_unwound(struct mm_own *own, struct monitor_frame *frame, uint64_t number,
                    unsigned depth);
/* Number of invocations without a row for want of memory, in this process. */
uint64_t mm_own_without(void);

/* preload.c: true in the recorded process and its forks. Also records that this process
 * has something of its own to record, even if that is never called. */
int mm_preload_is_recorded(void);
void mm_preload_has_own(void);

/* preload.c: work of recording inside a call of the program, such as looking up a name.
 * Its time is counted in `setup` of the experiment, not in the exclusive time of the
 * thread's open invocation. */
struct mm_aside {
    int64_t wall_ns, cpu_ns; /* clocks at its begin */
};

struct mm_aside mm_preload_aside(void);
void mm_preload_aside_done(const struct mm_aside *since);

#endif
