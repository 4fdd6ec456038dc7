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
    struct monitor_method *reserved; /* method whose id is assigned at its first call;
                                        NULL: there is none, or it was refused */
    char *written;                   /* result of mm_called_escaped, or NULL */
    const char *shared;              /* result of mm_called_shared */
};

/* Make the struct for a function or a region.
 *
 *   name     in  borrowed for the call
 *   port     in  "function" or "region", not copied
 *   entry    in  kind of entry by which its calls reach the recorder
 *   address  in  any address in the program or library that contains it
 *
 * Returns a new one, or NULL: out of memory. The caller declares the values before the
 * first call, and owns their names. */
struct mm_own *mm_own_new(const char *name, const char *port, enum mm_entry_kind entry,
                          void *address);
/* Make room for `count` declarations of values. Returns 0 or -ENOMEM. */
int mm_own_values(struct mm_own *own, size_t count);
/* Return the kind of entry by which calls of this library's functions reach the recorder;
 * it depends on whether they are the program's own or interposed. */
enum mm_entry_kind mm_own_entry(const struct interpose_library *library);
/* Begin an invocation, and store it for the thread under `key`. `stack` is an address in
 * the caller's frame, by which invocations that longjmp has left are found and closed as
 * unwound; 0: unknown. */
void mm_own_begin(struct mm_own *own, const void *key, uintptr_t stack,
                  const union monitor_value *in);
/* End the thread's innermost open invocation of `key` and all invocations inside it; if
 * `key` is NULL, the innermost invocation of any key. */
void mm_own_end(const void *key);

/* Number of invocations of regions and instrumented functions open in the thread. */
extern __thread unsigned mm_own_depth
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
/* Close the invocation `number` of `frame`, which an exception has left, and all
 * invocations inside it, with the status "unwound". `depth` is the value of mm_own_depth
 * when it began. */
void mm_own_unwound(struct mm_own *own, struct monitor_frame *frame, uint64_t number,
                    unsigned depth);
/* Number of this process's invocations that have no row because memory ran out. */
uint64_t mm_own_without(void);

/* preload.c: mm_preload_is_recorded is true in the recorded process and its forks.
 * mm_preload_has_own notes that this process has own functions or regions to record, even
 * if none of them is ever called. */
int mm_preload_is_recorded(void);
void mm_preload_has_own(void);

/* preload.c: work of recording inside a call of the program, such as looking up a name.
 * Its time is counted in `setup` of the experiment, not in the exclusive time of the
 * thread's open invocation. */
struct mm_aside {
    int64_t wall_ns, cpu_ns; /* wall clock and CPU time when the work began */
};

struct mm_aside mm_preload_aside(void);
void mm_preload_aside_done(const struct mm_aside *since);

#endif
