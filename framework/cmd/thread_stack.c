/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_stack.c: threads that components make get a stack for signal handlers, too: one
 * that runs over its own stack could not say so.
 *
 * The program's pthread_create comes before the C library's, for all that is loaded. The
 * second stack lies at the far end of the first, so it comes and goes with the thread. A
 * sanitizer has a pthread_create of its own, which is left alone. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "framework/cmd/cmd.h"

#if !CCAFE_SANITIZED
enum { SIGNAL_STACK = 32 * 1024, LEAST_STACK = 16 * SIGNAL_STACK };

struct start {
    void *(*function)(void *);
    void *argument;
};

/* Unless the thread has put another in its place. Also when it ends by pthread_exit. */
static void take_away(const stack_t *own)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t now;

    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == own->ss_sp)
        sigaltstack(&none, NULL);
}

static __attribute__((noinline)) void *run_with_stack(const struct start *start)
{
    char memory[SIGNAL_STACK];
    const stack_t own
        __attribute__((cleanup(take_away))) = {.ss_sp = memory, .ss_size = sizeof memory};

    sigaltstack(&own, NULL);
    return start->function(start->argument);
}

static int is_large(void)
{
    pthread_attr_t attributes;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attributes))
        return 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size >= LEAST_STACK;
}

static void *run(void *argument)
{
    const struct start start = *(struct start *)argument;

    free(argument);
    return is_large() ? run_with_stack(&start) : start.function(start.argument);
}

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                               void *);

__attribute__((visibility("default"))) int
pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
               void *(*function)(void *), void *restrict argument)
{
    static create_function next;
    create_function create = __atomic_load_n(&next, __ATOMIC_RELAXED);
    struct start *start = malloc(sizeof *start);
    int status;

    if (!create) {
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
        __atomic_store_n(&next, create, __ATOMIC_RELAXED);
    }
    if (!start)
        return create(thread, attributes, function, argument);
    *start = (struct start){function, argument};
    status = create(thread, attributes, run, start);
    if (status)
        free(start);
    return status;
}
#endif
