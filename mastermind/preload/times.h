/* SPDX-License-Identifier: BSD-3-Clause */
/* times.h: times that the wrappers around MPI and OpenMP keep for each thread, as
 * counters of the rows. A process has one set. */
#ifndef MASTERMIND_PRELOAD_TIMES_H
#define MASTERMIND_PRELOAD_TIMES_H

#include <jansson.h>
#include <stdint.h>

/* Find the wrappers' libraries for OPENMP and MPI_SPLIT in a list of metrics. Call it
 * once, before the other functions. NULL: no list. */
void mm_times_find(const char *list);
/* Number of times, at most MM_RECORDER_COUNTERS. */
int mm_times_count(void);
/* Read the calling thread's times: a recorder's read_counters; `context` is unused. */
void mm_times_read(void *context, int64_t *values);
/* Add the names of the times, and of metrics without a library, to `counters` of
 * experiment.json. Returns 0 or -ENOMEM. */
int mm_times_about(json_t *about);

#endif
