/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_parts.h: functions that the files of an experiment's reader share. */
#ifndef MASTERMIND_READER_EXPERIMENT_PARTS_H
#define MASTERMIND_READER_EXPERIMENT_PARTS_H

#include "mastermind/format/aggregate.h"
#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"

struct mm_aggregate_copy;

/* --- experiment_thread.c ------------------------------------------------- */

/* Data that are needed to read the rows of a thread, and callbacks. */
struct mm_thread_source {
    const char *directory; /* directory of the rank */
    int rank, thread;
    struct mm_method_info *const *methods; /* methods of the rank by id */
    size_t method_count;
    size_t counter_count; /* number of counters that rows must have */
    double pace;          /* mean pace of the core, see call_costs.h */
    double ns_per_tick;   /* length of a tick; 0: taken from the head of
                             the thread's file */
    int64_t epoch_ns; /* start of the experiment's clock as CLOCK_REALTIME; 0: the start
                         in the thread's own file is used */
    mm_row_function function;         /* called for each row; NULL: rows are not needed */
    mm_interval_function on_interval; /* called for each interval between two readings of
                                         CPU time; NULL: intervals are not needed */
    void *context;                    /* argument of both functions */
    struct mm_aggregate_copy
        *aggregates; /* receives a copy of a running thread's aggregates that matches its
                        rows; the caller zeroes it before and frees it; or NULL */
};

/* True if a method has this id; some ids have no method. */
static inline int mm_source_has(const struct mm_thread_source *source, uint64_t id)
{
    return id < source->method_count && source->methods[id];
}

/* Visit the rows of a thread, then its open invocations. Adds the number of finished rows
 * to `*rows`. */
int mm_experiment_thread(const struct mm_thread_source *source, uint64_t *rows,
                         struct cca_error *err);

/* --- experiment_aggregate.c ---------------------------------------------- */

/* A checked copy of a thread's aggregates: lines, lengths and references are valid, and
 * no change is incomplete. */
struct mm_aggregate_copy {
    unsigned char *data;
    uint32_t end; /* index of the line after the last record */
    struct mm_file_head head;
    struct mm_agg_journal journal; /* copy of the journal, without an incomplete change */
    int moving;                    /* true if the thread is running */
    uint64_t calls;                /* number of invocations in all entries */
    double ns_per_tick;
    struct mm_agg_sums sums; /* the journal's valid sums, with the end of the latest
                                aggregated call in ticks */
};

/* Copy a thread's file of aggregates and check it. Returns 0; -ENOENT without `err`:
 * there is no file; or -EBADMSG, -EIO or -ENOMEM with `err`. Call mm_aggregate_copy_free
 * in any case. */
int mm_aggregate_copy(struct mm_aggregate_copy *copy,
                      const struct mm_thread_source *source, struct cca_error *err);
void mm_aggregate_copy_free(struct mm_aggregate_copy *copy);

/* Call `function` for each entry (sums over calls) that has at least one call. */
int mm_aggregate_copy_walk(const struct mm_aggregate_copy *copy,
                           const struct mm_thread_source *source,
                           mm_aggregate_function function, void *context,
                           struct cca_error *err);

/* Return the words of the next row of all reservoirs, and set `*offset` to its position
 * in the file; NULL at the end. `*line` and `*place` hold the position in the walk:
 * MM_AGG_FIRST and 0 at first. A row that is incomplete because the process died is
 * skipped. `*words`, the number of words, is 0 for a row with a wrong check sum. */
const uint64_t *mm_aggregate_copy_row(const struct mm_aggregate_copy *copy,
                                      uint32_t *line, uint32_t *place, size_t *words,
                                      uint64_t *offset);

/* --- experiment_methods.c ------------------------------------------------ */

/* A rank's methods by id, borrowed from the experiment. */
struct mm_rank_methods {
    struct mm_method_info **by_id; /* [room] method by id, or NULL; only ids less than
                                      `count` may have a method */
    size_t count, room;
};

/* Read a rank's methods.json and add its methods to the experiment. Returns 0; -ENOENT
 * without a message; -EBADMSG, -ENOMEM, -EIO. */
int mm_methods_read(struct mm_experiment *experiment, struct mm_rank_methods *rank,
                    const char *path, struct cca_error *err);
/* Add the methods of methods.called (mastermind/format/called_file.h), which a run has
 * until it ends. Returns like mm_methods_read. */
int mm_methods_read_called(struct mm_experiment *experiment, struct mm_rank_methods *rank,
                           const char *path, struct cca_error *err);

/* --- experiment_unpack.c ------------------------------------------------- */

struct mm_unpacker {
    const unsigned char *at, *end;
    struct mm_pack_state state;
};

/* Begin to unpack the payload of a block whose check sum is right. */
void mm_unpack_begin(struct mm_unpacker *unpacker, const unsigned char *payload,
                     size_t bytes);
/* Unpack the next row or reading; its check sum is not restored. Returns the number of
 * its words; 0: invalid. */
size_t mm_unpack_row(struct mm_unpacker *unpacker, uint64_t words[MM_ROW_MAX_WORDS]);

#endif
