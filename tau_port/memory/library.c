/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: the metrics of libmeas_memory.so, as counters of rows. */
#include "tau_port/memory/memory.h"

enum { PEAK, BYTES, CALLS, COUNTERS };

static const char *const names[COUNTERS] = {
    [PEAK] = "PEAK_BYTES", [BYTES] = "ALLOCATED_BYTES", [CALLS] = "ALLOCATIONS"};
static const char *const units[COUNTERS] = {
    [PEAK] = "bytes", [BYTES] = "bytes", [CALLS] = "count"};

static void read_counters(int64_t *values)
{
    struct mem_allocated allocated;
    int known = !mem_allocated(&allocated);

    values[PEAK] = MEAS_NESTED;
    values[BYTES] = known ? allocated.bytes : INT64_MIN;
    values[CALLS] = known ? allocated.calls : INT64_MIN;
}

/* The value at the begin of a call is the number of its stretch, which is added to the
 * peak at its end. */
static void read_outer(enum meas_outer moment, const int64_t *began, int64_t *values)
{
    int64_t stretch, peak;

    if (moment == MEAS_OUTER_BEGINS) {
        stretch = mem_peak_begin();
        values[PEAK] = stretch < 0 ? INT64_MIN : stretch;
    } else if (began[PEAK] >= 0) {
        peak = mem_peak_end((int)began[PEAK]);
        values[PEAK] = peak < 0 ? INT64_MIN : peak + began[PEAK];
    }
}

extern const struct meas_times meas_memory_1;
__attribute__((visibility("default"))) const struct meas_times meas_memory_1 = {
    .count = COUNTERS,
    .names = names,
    .units = units,
    .read = read_counters,
    .read_outer = read_outer,
};

void meas_memory_prepare_1(int begins);
__attribute__((visibility("default"))) void meas_memory_prepare_1(int begins)
{
    if (begins)
        mem_own_begin();
    else
        mem_own_end();
}

int64_t meas_memory_peak_1(void);
__attribute__((visibility("default"))) int64_t meas_memory_peak_1(void)
{
    return mem_peak_of_process();
}
