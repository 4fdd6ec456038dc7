/* SPDX-License-Identifier: BSD-3-Clause */
/* paper.c: the policy paper, an adaptive interval that goes back and forth in a trace. */
#include <string.h>

#include "mesh/balance/policy.h"

void mesh_paper(double (*imbalance)(const void *context, int64_t s, int64_t k),
                const void *context, int64_t steps, double threshold, int64_t least,
                int64_t most, int64_t first, unsigned char *schedule, int64_t *probes,
                int64_t *backtracks)
{
    int64_t step = 0, last = 0, interval = first, asked = 0, back = 0;

    memset(schedule, 0, (size_t)steps);
    while (step < steps) {
        asked++;
        if (imbalance(context, last, step) < threshold) {
            interval = interval * 2 < most ? interval * 2 : most;
            step += interval;
        } else if (interval > least && step > last) {
            /* Halve the interval and go back by the new interval, but not before the step
             * of the current partition. */
            interval = interval / 2 > least ? interval / 2 : least;
            step = step - interval > last ? step - interval : last;
            back++;
        } else {
            schedule[step] = step > 0;
            last = step;
            step += interval;
        }
    }
    if (probes)
        *probes = asked;
    if (backtracks)
        *backtracks = back;
}
