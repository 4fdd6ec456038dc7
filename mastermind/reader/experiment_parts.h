/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_parts.h: functions that the files of an experiment's reader share. */
#ifndef MASTERMIND_READER_EXPERIMENT_PARTS_H
#define MASTERMIND_READER_EXPERIMENT_PARTS_H

#include "mastermind/format/aggregate.h"
#include "mastermind/format/layout.h"
#include "mastermind/reader/experiment.h"

struct mm_aggregate_copy;

/* --- experiment_thread.c ------------------------------------------------- */

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

/* True for the id of one of the methods; ids have gaps. */
static inline int mm_source_has(const struct mm_thread_source *source, uint64_t id)
{
    return id < source->method_count && source->methods[id];
}

/* Walk the rows of a thread, then its open frames. Adds the finished rows to `*rows`. */
int mm_experiment_thread(const struct mm_thread_source *source, uint64_t *rows,
                         struct cca_error *err);

/* --- experiment_aggregate.c ---------------------------------------------- */

/* A copy that was checked completely: lines, lengths and references are valid, and no
 * change is pending. */
struct mm_aggregate_copy {
    unsigned char *data;
    uint32_t end; /* number of the line after the last record */
    struct mm_file_head head;
    struct mm_agg_journal journal; /* copy of the journal, without a pending change */
    int moving;                    /* true if the thread is running */
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

/* Return the next row of a reservoir. `*line` and `*place` start as MM_AGG_FIRST and 0.
 * Skips a row that is incomplete because the process died. Returns the row's words and
 * sets `*offset`; NULL at the end. `*words` is 0 for a row with a wrong check. */
const uint64_t *mm_aggregate_copy_row(const struct mm_aggregate_copy *copy,
                                      uint32_t *line, uint32_t *place, size_t *words,
                                      uint64_t *offset);

/* --- experiment_methods.c ------------------------------------------------ */

/* A rank's methods by id, borrowed from the experiment. */
struct mm_rank_methods {
    struct mm_method_info **by_id; /* [room], of which `count` may have one */
    size_t count, room;
};

/* Read a rank's methods.json and add its methods to the experiment. Returns 0; -ENOENT
 * without a message; -EBADMSG, -ENOMEM, -EIO. */
int mm_methods_read(struct mm_experiment *experiment, struct mm_rank_methods *rank,
                    const char *path, struct cca_error *err);
/* Add the methods of methods.called (mastermind/format/called_file.h), which a run has
 * until it ends. Returns as mm_methods_read. */
int mm_methods_read_called(struct mm_experiment *experiment, struct mm_rank_methods *rank,
                           const char *path, struct cca_error *err);

/* --- experiment_unpack.c ------------------------------------------------- */

struct mm_unpacker {
    const unsigned char *at, *end;
    struct mm_pack_state state;
};

/* Begin with the payload of a block whose check is valid. */
void mm_unpack_begin(struct mm_unpacker *unpacker, const unsigned char *payload,
                     size_t bytes);
/* Decode the next row or reading without its check. Returns its number of words; 0:
 * invalid. */
size_t mm_unpack_row(struct mm_unpacker *unpacker, uint64_t words[MM_ROW_MAX_WORDS]);

#endif
