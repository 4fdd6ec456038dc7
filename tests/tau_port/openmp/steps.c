/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: calls step.c, then again in a thread of its own. */
#include "step.h"

#include <pthread.h>
#include <stddef.h>

static void *call_steps(void *sum)
{
    *(int *)sum = step(50, 0) + step(0, 4) + step(80, 0) + step(0, 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int sums[2];

    call_steps(&sums[0]);
    if (pthread_create(&thread, NULL, call_steps, &sums[1]))
        return 2;
    pthread_join(thread, NULL);
    return sums[0] != 130 || sums[1] != 130;
}
