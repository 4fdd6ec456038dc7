/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_aggregate.h: a copy of the aggregates file of a thread. */
#ifndef MASTERMIND_READER_EXPERIMENT_AGGREGATE_H
#define MASTERMIND_READER_EXPERIMENT_AGGREGATE_H

#include "mastermind/reader/experiment_thread.h"
#include "mastermind/format/aggregate.h"

/* A copy that was checked completely: lines, lengths and references are valid, and no
 * change is pending. */
struct mm_aggregate_copy {
    unsigned char *data;
    uint32_t end; /* number of the line after the last record */
    struct mm_file_head head;
    struct mm_agg_journal journal; /* copy of the journal, without a pending change */
    int moving;                    /* 1: the thread is running */
    uint64_t calls;                /* number of invocations in all entries */
    double ns_per_tick;
    struct mm_agg_sums sums; /* end of the latest callee, ticks */
};

/* Copy the file and check it; `methods` gives each method's number of values. 0, -ENOENT
 * without `err`, or -EBADMSG, -EIO, -ENOMEM with it; call mm_aggregate_copy_free in any
 * case. */
int mm_aggregate_copy(struct mm_aggregate_copy *copy,
                      const struct mm_thread_source *source, struct cca_error *err);
void mm_aggregate_copy_free(struct mm_aggregate_copy *copy);

/* Call `function` for each entry (sums over calls) that has calls. */
int mm_aggregate_copy_walk(const struct mm_aggregate_copy *copy,
                           const struct mm_thread_source *source,
                           mm_aggregate_function function, void *context,
                           struct cca_error *err);

/* The next row of a reservoir. `*line` and `*place` start as MM_AGG_FIRST and 0. Skips a
 * row that is incomplete because the process died. Returns the row's words and sets
 * `*offset`; NULL at the end. `*words` is 0 for a row with a wrong check. */
const uint64_t *mm_aggregate_copy_row(const struct mm_aggregate_copy *copy,
                                      uint32_t *line, uint32_t *place, size_t *words,
                                      uint64_t *offset);

#endif
