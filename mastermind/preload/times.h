/* SPDX-License-Identifier: BSD-3-Clause */
/* times.h: the times that wrappers around MPI and OpenMP keep for each thread, as
 * counters of the rows. One set a process. */
#ifndef MASTERMIND_PRELOAD_TIMES_H
#define MASTERMIND_PRELOAD_TIMES_H

#include <jansson.h>
#include <stdint.h>

/* Find the libraries that the words of a list of metrics name, once, before the other
 * functions. NULL: no list. */
void mm_times_find(const char *list);
/* Number of times, at most MM_RECORDER_COUNTERS. */
int mm_times_count(void);
/* Read the calling thread's times: read_counters of a recorder; `context` is not used. */
void mm_times_read(void *context, int64_t *values);
/* Add the names of the times, and of words without a library, to `counters` of
 * experiment.json. 0 or -ENOMEM. */
int mm_times_about(json_t *about);

#endif
