/* SPDX-License-Identifier: BSD-3-Clause */
/* given_thread.h: the rows of one thread of a given experiment, packed into its segment.
 */
#ifndef MASTERMIND_WRITER_GIVEN_THREAD_H
#define MASTERMIND_WRITER_GIVEN_THREAD_H

#include "mastermind/format/layout.h"
#include "mastermind/writer/given.h"

/* The types of the values of a method's rows. */
struct mm_given_shape {
    unsigned char types[MONITOR_MAX_IN + MONITOR_MAX_OUT]; /* enum monitor_type */
    unsigned char in_count, out_count;
};

/* Memory for packing rows, shared by all threads. */
struct mm_given_pack {
    struct mm_pack_state state;
    unsigned char *out;
};

/* Properties of the times in rows, shared by all threads. */
struct mm_given_clock {
    double ns_per_tick;
    int cpu_time;
};

struct mm_given_thread;

/* A thread with the segment `directory`/thread-NNN.seg, which its first block creates.
 * New or NULL: out of memory. */
struct mm_given_thread *mm_given_thread_new(int number,
                                            const struct mm_given_clock *clock);
/* Add a row; returns as mm_given_row. */
int mm_given_thread_row(struct mm_given_thread *thread, const char *directory,
                        struct mm_given_pack *pack, const struct mm_given_shape *shape,
                        const struct mm_given_row *row, struct cca_error *err);
/* Write the last block of rows and the trailer; returns as mm_given_finish. */
int mm_given_thread_finish(struct mm_given_thread *thread, const char *directory,
                           struct mm_given_pack *pack, struct cca_error *err);
/* Number of rows of the thread so far, and the end of the last one in ticks. */
uint64_t mm_given_thread_rows(const struct mm_given_thread *thread);
uint64_t mm_given_thread_end(const struct mm_given_thread *thread);
void mm_given_thread_free(struct mm_given_thread *thread);

/* Allocate the memory for packing. Returns 0 or -ENOMEM. */
int mm_given_pack_init(struct mm_given_pack *pack);
void mm_given_pack_done(struct mm_given_pack *pack);

#endif
