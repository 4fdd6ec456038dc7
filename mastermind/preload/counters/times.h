/* SPDX-License-Identifier: BSD-3-Clause */
/* times.h: times and counts that the wrappers around MPI, OpenMP and malloc keep for each
 * thread, as counters of the rows. A process has one set of them. */
#ifndef MASTERMIND_PRELOAD_COUNTERS_TIMES_H
#define MASTERMIND_PRELOAD_COUNTERS_TIMES_H

#include <jansson.h>
#include <stdint.h>

#include "common/thread_times.h"

/* Find the loaded wrapper libraries for metrics such as OPENMP, if `list` (metrics
 * separated as in MASTERMIND_RECORD_METRICS, or NULL) has them. Call it once, before the
 * other functions. */
void mm_times_find(const char *list);
/* Return the number of different times, at most MM_RECORDER_COUNTERS. */
int mm_times_count(void);
/* Read the calling thread's times; the function is a recorder's `read_counters`.
 * `context` is unused. */
void mm_times_read(void *context, int64_t *values);
/* True if some counters belong to outermost calls; mm_times_read_outer, a recorder's
 * `read_outer`, reads these. */
int mm_times_are_outer(void);
void mm_times_read_outer(void *context, enum meas_outer moment, const int64_t *began,
                         int64_t *values);
/* Add the names of the times, and of metrics without a library, to `counters` of
 * experiment.json. Returns 0 or -ENOMEM. */
int mm_times_about(json_t *about);

#endif
