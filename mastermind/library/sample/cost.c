/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c: read the clock in a loop while this thread is sampled: a sample causes a gap
 * between two readings. */
#include "mastermind/library/sample/cost.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/sort.h"
#include "mastermind/library/sample/ring.h"

enum { PERIOD_NS = 97001, GAPS = 150, FEWEST = 20, MOST_NS = 200000000 };

/* Store the loop's gaps, most of which samples have caused. Returns the number of
 * gaps. */
static size_t find_gaps(struct sample_rings *rings, double gaps[GAPS])
{
    int64_t begin = cca_clock_ns(CLOCK_MONOTONIC), last = begin, now = begin;
    int64_t usual = INT64_MAX;
    size_t count = 0;

    while (now - begin < MOST_NS && count < GAPS) {
        now = cca_clock_ns(CLOCK_MONOTONIC);
        if (now - last < usual && now > last)
            usual = now - last;
        if (now - last > 8 * usual) {
            gaps[count++] = (double)(now - last - usual);
            sample_rings_empty(rings);
            now = cca_clock_ns(CLOCK_MONOTONIC);
        }
        last = now;
    }
    return count;
}

double sample_cost_ns(int has_kernel, int has_stack)
{
    volatile char above[2 * SAMPLE_STACK_BYTES]; /* stack to be copied */
    struct sample_rings rings;
    double gaps[GAPS];
    size_t count;

    memset((char *)above, 1, sizeof above);
    if (sample_rings_open_own(&rings, PERIOD_NS, has_kernel, has_stack))
        return 0;
    count = find_gaps(&rings, gaps);
    sample_rings_close(&rings);
    if (count < FEWEST)
        return 0;
    qsort(gaps, count, sizeof *gaps, cca_order_double);
    return gaps[count / 2];
}
