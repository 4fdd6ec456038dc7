/* SPDX-License-Identifier: BSD-3-Clause */
/* fail_malloc.h: an allocator that fails once, when a test says so. Of one file of a
 * program. */
#ifndef TESTS_LIB_FAIL_MALLOC_H
#define TESTS_LIB_FAIL_MALLOC_H

#include <dlfcn.h>

#include "ports/cca_port.h"
#include "tests/lib/test.h"

/* Countdown to the failure; negative: none comes. */
static long countdown = -1;
static int failed; /* it has come */

/* The thread sanitizer allocates before it can be asked to find the next malloc. */
#if TEST_TSAN
#define REPLACES_MALLOC 0
#else
#define REPLACES_MALLOC 1
static int fails(void)
{
    if (countdown < 0 || countdown-- > 0)
        return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

/* These stand before those of the C library (or of the address sanitizer) for the program
 * and all its libraries. */
CCA_EXPORT void *malloc(size_t size)
{
    static void *(*next)(size_t);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "malloc");
    return fails() ? NULL : next(size);
}

CCA_EXPORT void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "calloc");
    return fails() ? NULL : next(count, size);
}

CCA_EXPORT void *realloc(void *memory, size_t size)
{
    static void *(*next)(void *, size_t);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "realloc");
    return fails() ? NULL : next(memory, size);
}

CCA_EXPORT char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}
#endif

#define MEMORY_TESTS(set_up, tear_down)                                                  \
    int main(void)                                                                       \
    {                                                                                    \
        if (REPLACES_MALLOC)                                                             \
            return cmocka_run_group_tests(test_list, set_up, tear_down);                 \
        puts("malloc cannot be replaced under the thread sanitizer");                    \
        return 77;                                                                       \
    }

#endif
