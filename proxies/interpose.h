/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose.h: shared code of generated interposition libraries: the real functions
 * behind the wrappers, and the code around a call.
 *
 * The library is preloaded. Its functions have the names of the real functions, which
 * they find with dlsym(RTLD_NEXT) and call. `mastermind record` also preloads
 * libmm_preload.so, which opens a function at the monitor on its first call; without it,
 * calls are only forwarded. Calls made by the monitor itself are not recorded, because
 * the thread is marked busy. */
#ifndef PROXIES_INTERPOSE_H
#define PROXIES_INTERPOSE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct interpose_library;
struct interpose_function;

/* Functions of the runtime, libmm_preload.so. */

/* Register a library, before its functions are called. */
__attribute__((weak)) void mm_preload_register(struct interpose_library *library);
/* Open a function at the monitor; always sets function->method. */
__attribute__((weak)) void mm_preload_open(struct interpose_library *library,
                                           struct interpose_function *function);
/* Unregister a library before it is unloaded. Only table proxies call it, which find
 * these functions by name. */
__attribute__((weak)) void mm_preload_forget(struct interpose_library *library);
/* Return the address of the calling thread's mm_interpose_busy. */
__attribute__((weak)) int *mm_preload_busy(void);
/* True if the calling thread has many calls open and little room is left on its stack: a
 * wrapper then jumps to the real function, which needs no stack, and the call is not
 * recorded. */
__attribute__((weak)) int mm_preload_is_deep(void);
/* Find a symbol in libraries that were loaded with local scope; NULL: not found. */
__attribute__((weak)) void *mm_preload_find(const char *symbol);

/* True while the calling thread is inside the monitor. Shared by all preloaded libraries.
 */
extern __thread int mm_interpose_busy
    __attribute__((weak, visibility("default"), tls_model("initial-exec")));
__thread int mm_interpose_busy = 0;

static inline void interpose_ask(struct interpose_library *library,
                                 struct interpose_function *function);

#define INTERPOSE_BUSY mm_interpose_busy
#define PROXY_BUSY mm_interpose_busy
#define INTERPOSE_DEEP (mm_preload_is_deep && mm_preload_is_deep())
#define INTERPOSE_OPEN(library, function) interpose_ask(library, function)
#include "proxies/interpose_call.h"
#include "proxies/interpose_version.h"

static inline void interpose_ask(struct interpose_library *library,
                                 struct interpose_function *function)
{
    if (mm_preload_open)
        mm_preload_open(library, function);
    else
        __atomic_store_n(&function->method, &interpose_off, __ATOMIC_RELEASE);
}

/* --- The real function ---------------------------------------------------- */

static inline void *interpose_look(const struct interpose_function *function)
{
    void *found = dlsym(RTLD_NEXT, function->symbol);

    return !found && mm_preload_find ? mm_preload_find(function->symbol) : found;
}

/* True while the thread looks for a real function. Functions that dlsym itself calls,
 * such as free, cannot be forwarded before they are found. */
static __thread int interpose_finding __attribute__((tls_model("initial-exec"), unused));

static inline void interpose_keep(struct interpose_function *function, void *found)
{
    function->versioned = interpose_is_versioned(function->symbol, found);
    __atomic_store_n(&function->real.address, found, __ATOMIC_RELEASE);
}

static __attribute__((noinline, unused, cold)) int
interpose_find(struct interpose_function *function)
{
    int number = errno;
    void *found;

    if (interpose_finding)
        return 0;
    interpose_finding = 1;
    found = interpose_look(function);
    if (found)
        interpose_keep(function, found);
    interpose_finding = 0;
    if (!found) { /* end the process, as the dynamic linker does for a missing symbol */
        fprintf(stderr, "%s: no library of this process has it\n", function->symbol);
        abort();
    }
    errno = number;
    return 1;
}

/* Prepare a call of the function. Returns false if the call comes from the search for the
 * function: the wrapper then does nothing. */
static inline int interpose_ready(struct interpose_function *function)
{
    return __atomic_load_n(&function->real.address, __ATOMIC_ACQUIRE) ||
           interpose_find(function);
}

static __attribute__((noinline, unused, cold)) int
interpose_find_forward(struct interpose_function *forward,
                       const struct interpose_function *variadic, void (*own)(void))
{
    union {
        void (*call)(void);
        void *address;
    } found = {own};
    int imported;

    if (interpose_finding)
        return 0;
    interpose_finding = 1;
    imported = own && interpose_imports(variadic->real.address, forward->symbol);
    interpose_finding = 0;
    if (!imported)
        return interpose_find(forward);
    __atomic_store_n(&forward->real.address, found.address, __ATOMIC_RELEASE);
    return 1;
}

/* Like interpose_ready, for a function with a va_list (`forward`) that the wrapper of a
 * variadic function calls in place of the variadic function. `own` is the wrapper of
 * `forward` in this library, or NULL. If the library's variadic function calls `forward`
 * through the dynamic linker, this call must pass through `own`, too, so that it is
 * recorded as it would be if the variadic function had no wrapper. */
static inline int interpose_forward_ready(struct interpose_function *forward,
                                          const struct interpose_function *variadic,
                                          void (*own)(void))
{
    return __atomic_load_n(&forward->real.address, __ATOMIC_ACQUIRE) ||
           interpose_find_forward(forward, variadic, own);
}

static __attribute__((noinline, unused, cold)) void *
interpose_choose(const struct interpose_function *function, const void *caller)
{
    const int busy = mm_interpose_busy;
    void *found;

    mm_interpose_busy = 1;
    found = interpose_version(function->symbol, caller, function->real.address);
    mm_interpose_busy = busy;
    return found;
}

/* Return the real function, in the version with which the caller was linked. */
static inline void (*interpose_real(const struct interpose_function *function,
                                    const void *caller))(void)
{
    union {
        void *address;
        void (*call)(void);
    } chosen = {function->real.address};

    if (__builtin_expect(function->versioned, 0))
        chosen.address = interpose_choose(function, caller);
    return chosen.call;
}

/* Find a function that is used only as a getter. Returns true if it exists. */
static inline int interpose_reach(struct interpose_function *function)
{
    void *found = __atomic_load_n(&function->real.address, __ATOMIC_ACQUIRE);

    if (!found && (found = interpose_look(function)))
        __atomic_store_n(&function->real.address, found, __ATOMIC_RELEASE);
    return found != NULL;
}

/* Register a library: the constructor of every interposition library. */
static inline void interpose_start(struct interpose_library *library)
{
    mm_interpose_busy++;
    interpose_finding++;
    for (size_t i = 0; i < library->function_count; i++) {
        void *found = interpose_look(&library->functions[i]);

        if (found)
            interpose_keep(&library->functions[i], found);
    }
    interpose_finding--;
    if (mm_preload_register)
        mm_preload_register(library);
    mm_interpose_busy--;
}

#endif
