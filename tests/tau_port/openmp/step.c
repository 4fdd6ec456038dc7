/* SPDX-License-Identifier: BSD-3-Clause */
/* step.c: a library whose function works alone, and with a team. */
#include "step.h"

#include <omp.h>
#include <unistd.h>

int step(int ms, int parallel)
{
    usleep((useconds_t)ms * 1000);
    if (parallel) {
#pragma omp parallel num_threads(4)
        usleep(20000 * (useconds_t)(omp_get_thread_num() + 1));
    }
    return ms;
}
