/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_thread.h: the rows of one thread, out of its ring and its segment. */
#ifndef MASTERMIND_READER_EXPERIMENT_THREAD_H
#define MASTERMIND_READER_EXPERIMENT_THREAD_H

#include "mastermind/reader/experiment.h"

struct mm_aggregate_copy;

/* What the rows of a thread mean, and who wants them. */
struct mm_thread_source {
    const char *directory; /* of the rank */
    int rank, thread;
    struct mm_method_info *const *methods; /* by id */
    size_t method_count;
    size_t counter_count; /* that rows are to have */
    double ns_per_tick;   /* 0: as the thread's head says */
    int64_t epoch_ns;     /* of the experiment; 0: the thread's own */
    mm_row_function function;
    void *context;
    struct mm_aggregate_copy
        *aggregates; /* of a thread that has not ended takes the copy that goes
                        with its rows; zeroed by the caller, who frees it */
};

/* Walk the rows of a thread, then its open frames. `*rows` grows by the finished rows. */
int mm_experiment_thread(const struct mm_thread_source *source, uint64_t *rows,
                         struct cca_error *err);

#endif
