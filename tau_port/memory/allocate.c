/* SPDX-License-Identifier: BSD-3-Clause */
/* allocate.c: allocation functions that count, and call the real ones. They take no lock
 * and need no memory: fork, signal handlers and early calls meet the real functions in
 * the state that these expect. */
#include "tau_port/memory/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/auxv.h>

#define EXPORT __attribute__((visibility("default")))
#define OWN __thread __attribute__((tls_model("initial-exec")))

/* True while the calling thread is inside the recorder, whose memory does not count.
 * Shared by all preloaded libraries. */
extern __thread int mm_interpose_busy
    __attribute__((weak, visibility("default"), tls_model("initial-exec")));
__thread int mm_interpose_busy = 0;

static OWN struct mem_allocated counts;
/* True while the thread looks for a real function. */
static OWN int finding;
static int is_replaced; /* true if the program's own file has a malloc */

/* Return the address of a real function, stored at `place`. NULL: the search for it is
 * the caller. */
static void *real_function(void **place, const char *name)
{
    void *found = __atomic_load_n(place, __ATOMIC_RELAXED);
    int error = errno;

    if (found || finding)
        return found;
    finding = 1;
    found = dlsym(RTLD_NEXT, name);
    finding = 0;
    __atomic_store_n(place, found, __ATOMIC_RELAXED);
    errno = error;
    return found;
}

/* Count a request; `before`: the counts at its begin. A real function may have called
 * others of these functions, whose counts are dropped here. */
static inline void count(struct mem_allocated before, const void *result, size_t size)
{
    if (result && !mm_interpose_busy) {
        before.bytes += (int64_t)size;
        before.calls++;
    }
    counts = before;
}

/* Define a function that allocates `size` bytes: call the real one, and count. */
#define ALLOCATES(name, parameters, arguments, size)                                     \
    EXPORT void *name parameters;                                                        \
    EXPORT void *name parameters                                                         \
    {                                                                                    \
        static union {                                                                   \
            void *address;                                                               \
            void *(*call)parameters;                                                     \
        } real;                                                                          \
        struct mem_allocated before = counts;                                            \
        void *result;                                                                    \
                                                                                         \
        if (!real_function(&real.address, #name)) {                                      \
            errno = ENOMEM;                                                              \
            return NULL;                                                                 \
        }                                                                                \
        result = real.call arguments;                                                    \
        count(before, result, size);                                                     \
        return result;                                                                   \
    }

ALLOCATES(malloc, (size_t size), (size), size)
ALLOCATES(calloc, (size_t number, size_t size), (number, size), number *size)
ALLOCATES(realloc, (void *old, size_t size), (old, size), size)
ALLOCATES(reallocarray, (void *old, size_t number, size_t size), (old, number, size),
          number *size)
ALLOCATES(aligned_alloc, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATES(memalign, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATES(valloc, (size_t size), (size), size)
ALLOCATES(pvalloc, (size_t size), (size), size)

EXPORT int posix_memalign(void **result, size_t alignment, size_t size)
{
    static union {
        void *address;
        int (*call)(void **result, size_t alignment, size_t size);
    } real;
    struct mem_allocated before = counts;
    int status;

    if (!real_function(&real.address, "posix_memalign"))
        return ENOMEM;
    status = real.call(result, alignment, size);
    count(before, status ? NULL : *result, size);
    return status;
}

/* True if the function of this name that programs find first is in the program's own
 * file. */
static int is_in_program(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    Dl_info function, program;

    return found && dladdr(found, &function) &&
           dladdr((void *)getauxval(AT_ENTRY), &program) &&
           function.dli_fbase == program.dli_fbase;
}

__attribute__((constructor)) static void look_for_own(void)
{
    is_replaced = is_in_program("malloc");
}

int mem_allocated(struct mem_allocated *to)
{
    *to = counts;
    return is_replaced ? -1 : 0;
}
