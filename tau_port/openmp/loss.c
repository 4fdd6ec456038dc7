/* SPDX-License-Identifier: BSD-3-Clause */
/* loss.c: loss of parallelism: threads that could run but do not.
 *
 * The paper (Fahringer and Seragiotto, section 3) has the time of code that is not, or
 * not fully, parallel. Here it is computed for each thread that opens outermost regions:
 * the integral of (P - n) / P over time, in nanoseconds, so it is a part of the thread's
 * own time:
 *
 *     n   threads of its team; 1 outside of regions
 *     P   threads that it could have: the number that the runtime would give to a region
 *         without num_threads, or the size of its largest team so far if that is larger
 *
 * So a sequential part of t seconds between regions of four threads loses 3/4 t. */
#include "tau_port/openmp/openmp.h"

#include "common/clock.h"

static int most(const struct omp_thread *mine, int could)
{
    return could > mine->largest ? could : mine->largest;
}

/* Time since loss_since that threads were unused, summed over threads, ns. */
static int64_t lost(const struct omp_thread *mine, int64_t now)
{
    return now > mine->loss_since && mine->could > 0
               ? (int64_t)((double)(now - mine->loss_since) * mine->idle / mine->could)
               : 0;
}

/* From `now` on, `size` of the `could` threads that could run count as used, the others
 * as unused. */
static void lose(struct omp_thread *mine, int size, int could, int64_t now)
{
    mine->loss_ns += lost(mine, now);
    mine->loss_since = now;
    mine->could = could;
    mine->idle = could > size ? could - size : 0;
}

void omp_loss_first(struct omp_thread *mine, int could)
{
    lose(mine, 1, could, cca_clock_ns(CLOCK_MONOTONIC));
}

void omp_loss_team(struct omp_thread *mine, int could, int size, int64_t begin)
{
    if (size > mine->largest)
        mine->largest = size;
    lose(mine, size, most(mine, could), begin);
}

void omp_loss_alone(struct omp_thread *mine, int could, int64_t now)
{
    lose(mine, 1, most(mine, could), now);
}

int64_t omp_loss(const struct omp_thread *mine, int64_t now)
{
    return mine->loss_ns + lost(mine, now);
}
