/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.h: what generated interposition libraries share: the functions that they stand in
 * front of, and how a call is bracketed.
 *
 * The library is preloaded. Its functions have the names of the real ones, which they find with
 * dlsym(RTLD_NEXT) and call. `mastermind record` preloads libmm_preload.so as well, which opens a
 * function at the monitor when it is called for the first time; without it, calls are forwarded
 * and nothing else. What the monitor calls itself is not recorded: the thread is then busy. */
#ifndef PROXIES_INTERPOSE_H
#define PROXIES_INTERPOSE_H

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ports/monitor_port.h"
#include "proxies/proxy_value.h"

#define INTERPOSE_ABI 1u
#define INTERPOSE_EXPORT __attribute__((visibility("default")))

struct interpose_function {
    const char *name;   /* as in the header */
    const char *symbol; /* as the linker knows it */
    const struct monitor_value_decl *values; /* in-values in order, then out-values in order */
    size_t in_count, out_count;
    union {
        void *address; /* NULL: not looked for yet; __atomic */
        void (*call)(void);
    } real;
    struct monitor_method *method; /* NULL: never called yet; __atomic */
};

struct interpose_library {
    unsigned abi;  /* INTERPOSE_ABI */
    unsigned size; /* sizeof(struct interpose_library) */
    const char *header; /* "zlib.h" */
    struct interpose_function *functions;
    size_t function_count;
    struct monitor_port *monitor; /* set before the first method is */
    struct interpose_library *next; /* of the runtime */
};

/* The runtime, libmm_preload.so. */

/* Make a library known, before its functions are called. */
__attribute__((weak)) void mm_preload_register(struct interpose_library *library);
/* Open a function: sets function->method, in any case. */
__attribute__((weak)) void mm_preload_open(struct interpose_library *library,
                                           struct interpose_function *function);
/* A symbol in libraries that were loaded for somebody else alone; NULL: nowhere. */
__attribute__((weak)) void *mm_preload_find(const char *symbol);

/* True while the calling thread is inside the monitor. One for all preloaded libraries. */
extern __thread int mm_interpose_busy
    __attribute__((weak, visibility("default"), tls_model("initial-exec")));
__thread int mm_interpose_busy = 0;

static struct monitor_method interpose_off; /* of functions that are never measured */

/* --- The real function -------------------------------------------------------------------- */

static inline void *interpose_look(const struct interpose_function *function)
{
    void *found = dlsym(RTLD_NEXT, function->symbol);

    return !found && mm_preload_find ? mm_preload_find(function->symbol) : found;
}

/* True while the thread looks for a real function. What dlsym calls itself, as free, cannot be
 * forwarded before it has been found. */
static __thread int interpose_finding __attribute__((tls_model("initial-exec"), unused));

static __attribute__((noinline, unused, cold)) int
interpose_find(struct interpose_function *function)
{
    int number = errno;
    void *found;

    if (interpose_finding)
        return 0;
    interpose_finding = 1;
    found = interpose_look(function);
    interpose_finding = 0;
    if (!found) { /* as the dynamic linker does where a symbol is missing */
        fprintf(stderr, "%s: no library of this process has it\n", function->symbol);
        abort();
    }
    __atomic_store_n(&function->real.address, found, __ATOMIC_RELEASE);
    errno = number;
    return 1;
}

/* False where the call comes from looking for the function: it then does nothing. */
static inline int interpose_ready(struct interpose_function *function)
{
    return __atomic_load_n(&function->real.address, __ATOMIC_ACQUIRE) || interpose_find(function);
}

/* --- One call ------------------------------------------------------------------------------ */

static __attribute__((noinline, unused, cold)) int
interpose_open(struct interpose_library *library, struct interpose_function *function)
{
    int number = errno;

    mm_interpose_busy = 1;
    if (mm_preload_open)
        mm_preload_open(library, function);
    else
        __atomic_store_n(&function->method, &interpose_off, __ATOMIC_RELEASE);
    mm_interpose_busy = 0;
    errno = number;
    return monitor_method_on(function->method);
}

/* True where this call is to be bracketed. */
static inline int interpose_on(struct interpose_library *library,
                               struct interpose_function *function)
{
    const struct monitor_method *method = __atomic_load_n(&function->method, __ATOMIC_ACQUIRE);

    if (mm_interpose_busy)
        return 0;
    return method ? monitor_method_on(method) : interpose_open(library, function);
}

/* An open invocation. Leaving its block before interpose_end, by an exception or a
 * cancellation, closes it as unwound. */
struct interpose_call {
    struct monitor_port *monitor; /* NULL once closed */
    struct monitor_frame *frame;
};

static inline void interpose_unwind(struct interpose_call *call)
{
    if (!call->monitor)
        return;
    mm_interpose_busy = 1;
    call->monitor->unwind(call->monitor, call->frame);
    mm_interpose_busy = 0;
}

#define INTERPOSE_CALL __attribute__((cleanup(interpose_unwind))) struct interpose_call

static inline struct interpose_call interpose_begin(struct interpose_library *library,
                                                    struct interpose_function *function,
                                                    const union monitor_value *in)
{
    struct interpose_call call = {library->monitor, NULL};

    mm_interpose_busy = 1;
    call.frame = call.monitor->begin(call.monitor, function->method, in);
    mm_interpose_busy = 0;
    return call;
}

static inline void interpose_end(struct interpose_call *call, const union monitor_value *out)
{
    struct monitor_port *monitor = call->monitor;

    call->monitor = NULL;
    mm_interpose_busy = 1;
    monitor->end(monitor, call->frame, out);
    mm_interpose_busy = 0;
}

/* The constructor of every interposition library. */
static inline void interpose_start(struct interpose_library *library)
{
    mm_interpose_busy++;
    interpose_finding++;
    for (size_t i = 0; i < library->function_count; i++) {
        void *found = interpose_look(&library->functions[i]);

        if (found)
            __atomic_store_n(&library->functions[i].real.address, found, __ATOMIC_RELEASE);
    }
    interpose_finding--;
    if (mm_preload_register)
        mm_preload_register(library);
    mm_interpose_busy--;
}

#endif
