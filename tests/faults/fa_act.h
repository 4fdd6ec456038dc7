/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_act.h: the action that fault components pass down a chain of calls.
 *
 * A chain is a flux port whose `compute` calls the next one, ny - 1 calls deep; the last
 * calls the action that `left` points to. So generated proxies stand between the fault
 * and the component that survives it. */
#ifndef TESTS_FAULTS_FA_ACT_H
#define TESTS_FAULTS_FA_ACT_H

#include <stdio.h>

#include "ports/flux_port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fa_act {
    void (*act)(struct fa_act *act); /* may not return */
};

/* Call `act`, which may be NULL, from `depth` calls deep. */
static inline int fa_call(struct flux_port *flux, int depth, const struct fa_act *act)
{
    return flux->compute(flux, 0, 1, depth, -1, (const double *)(const void *)act, NULL,
                         NULL, NULL, NULL);
}

/* Memory of this process that is resident, kB; 0: unknown. */
static inline long fa_resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long all, pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    fclose(file);
    return pages * 4;
}

/* The next of a sequence of numbers that looks random, 0 to `below` - 1. */
static inline int fa_random(uint64_t *seed, int below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((*seed >> 33) % (uint64_t)below);
}

#ifdef __cplusplus
}
#endif
#endif
