/* SPDX-License-Identifier: BSD-3-Clause */
/* last_words.c: the text of a component that is printed if the process ends early. */
#include "framework/assembly/assembly.h"

static const char *words; /* text that is printed if the process ends early; __atomic:
                           * a signal handler reads it */

void cca_last_words_set(const char *text)
{
    __atomic_store_n(&words, text, __ATOMIC_RELEASE);
}

const char *cca_last_words(void)
{
    return __atomic_load_n(&words, __ATOMIC_ACQUIRE);
}

/* The function set by cca_last_moment_set. Like `innermost` below, it is stored after its
 * context and cleared before. */
static void (*last_moment)(void *context);
static void *last_moment_context;

void cca_last_moment_set(void (*function)(void *context), void *context)
{
    __atomic_store_n(&last_moment, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&last_moment_context, context, __ATOMIC_SEQ_CST);
    __atomic_store_n(&last_moment, function, __ATOMIC_SEQ_CST);
}

void cca_last_moment(void)
{
    void (*function)(void *) = __atomic_load_n(&last_moment, __ATOMIC_SEQ_CST);

    if (function)
        function(__atomic_load_n(&last_moment_context, __ATOMIC_SEQ_CST));
}

static int files_lost; /* __atomic */

void cca_files_lost(void)
{
    __atomic_store_n(&files_lost, 1, __ATOMIC_RELAXED);
}

int cca_are_files_lost(void)
{
    return __atomic_load_n(&files_lost, __ATOMIC_RELAXED);
}

/* The function set by cca_last_call_set. It is stored after its context and cleared
 * before the context changes, so that a signal handler never calls it with another
 * function's context. */
static const char *(*innermost)(void *context, uintptr_t stack);
static void *innermost_context;

void cca_last_call_set(const char *(*function)(void *context, uintptr_t stack),
                       void *context)
{
    __atomic_store_n(&innermost, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&innermost_context, context, __ATOMIC_SEQ_CST);
    __atomic_store_n(&innermost, function, __ATOMIC_SEQ_CST);
}

const char *cca_last_call(uintptr_t stack)
{
    const char *(*function)(void *, uintptr_t) =
        __atomic_load_n(&innermost, __ATOMIC_SEQ_CST);

    return function
               ? function(__atomic_load_n(&innermost_context, __ATOMIC_SEQ_CST), stack)
               : NULL;
}
