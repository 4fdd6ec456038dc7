/* SPDX-License-Identifier: BSD-3-Clause */
/* last_words.c: what is to be said where the process ends before its time. */
#include "framework/cca.h"
#include "framework/framework.h"

static const char *words; /* __atomic: a signal handler reads it */

void cca_last_words_set(const char *text)
{
    __atomic_store_n(&words, text, __ATOMIC_RELEASE);
}

const char *cca_last_words(void)
{
    return __atomic_load_n(&words, __ATOMIC_ACQUIRE);
}
