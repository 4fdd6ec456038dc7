/* SPDX-License-Identifier: BSD-3-Clause */
/* step.c: a library whose function works alone, and with a team. */
#include "step.h"

#include <omp.h>
#include <unistd.h>

int step(int ms, int threads)
{
    if (ms)
        usleep((useconds_t)ms * 1000);
    if (threads) {
#pragma omp parallel num_threads(threads)
        usleep(20000 * (useconds_t)(omp_get_thread_num() + 1));
    }
    return ms;
}
