/* SPDX-License-Identifier: BSD-3-Clause */
/* own.h: a program's own functions and regions: methods of an instance that is named
 * after the program. */
#ifndef MASTERMIND_PRELOAD_OWN_H
#define MASTERMIND_PRELOAD_OWN_H

#include <stdint.h>

#include "mastermind/recorder/recorder.h"
#include "proxies/interpose.h"

/* One function or region. The struct stays for the life of the process. */
struct mm_own {
    struct interpose_library library;
    struct interpose_function function;
    struct monitor_value_decl values[MONITOR_MAX_IN];
    char *name, *value_names[MONITOR_MAX_IN];
};

/* Make one.
 *
 *   name     in  borrowed for the call
 *   port     in  "function" or "region", kept
 *   entry    in  the way in which its calls come
 *   address  in  in the object that it is of
 *
 * New, or NULL: out of memory. The values are the caller's to add, with names of its own,
 * before the first call. */
struct mm_own *mm_own_new(const char *name, const char *port, enum mm_entry_kind entry,
                          void *address);
/* The way in which calls of a library's functions come: of one of ours, or interposed.
 */
enum mm_entry_kind mm_own_entry(const struct interpose_library *library);
/* Open an invocation, and remember it for the thread under `key`. `stack` is an address
 * in the frame of who calls, by which those that longjmp has left are found and closed as
 * unwound; 0: not known. */
void mm_own_begin(struct mm_own *own, const void *key, uintptr_t stack,
                  const union monitor_value *in);
/* Close the innermost one of this key with all that are open in it; NULL: the innermost.
 */
void mm_own_end(const void *key);

/* Close the one of this key, which is its `stack`, with all in it as unwound: an
 * exception has left it. */
void mm_own_unwind(const void *key);

/* preload.c: true in the process that is recorded, and in those that it forks; and that
 * it has something of its own to record, even where that is never called. */
int mm_preload_is_recorded(void);
void mm_preload_has_own(void);

/* preload.c: work of measuring inside a call of the program, such as to look up a name.
 * When it is done, it is in `setup` of the experiment, and not in the exclusive time of
 * the thread's open invocation. */
struct mm_aside {
    int64_t wall_ns, cpu_ns; /* clocks when it began */
};

struct mm_aside mm_preload_aside(void);
void mm_preload_aside_done(const struct mm_aside *since);

#endif
