/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_thread.h: the rows of one thread, from its ring and its segment. */
#ifndef MASTERMIND_READER_EXPERIMENT_THREAD_H
#define MASTERMIND_READER_EXPERIMENT_THREAD_H

#include "mastermind/reader/experiment.h"

struct mm_aggregate_copy;

/* Data for reading the rows of a thread, and callbacks. */
struct mm_thread_source {
    const char *directory; /* directory of the rank */
    int rank, thread;
    struct mm_method_info *const *methods; /* methods of the rank by id */
    size_t method_count;
    size_t counter_count;             /* number of counters that rows must have */
    double ns_per_tick;               /* length of a tick; 0: taken from the head of
                                         the thread's file */
    int64_t epoch_ns;                 /* epoch of the experiment; 0: use the thread's */
    mm_row_function function;         /* called for each row; NULL: no rows wanted */
    mm_interval_function on_interval; /* called for each interval between readings;
                                         NULL: no intervals wanted */
    void *context;                    /* argument of both functions */
    struct mm_aggregate_copy
        *aggregates; /* gets a copy of the aggregates that matches the rows of a
                        running thread; the caller zeroes and frees it */
};

/* Walk the rows of a thread, then its open frames. Adds the finished rows to `*rows`. */
int mm_experiment_thread(const struct mm_thread_source *source, uint64_t *rows,
                         struct cca_error *err);

#endif
