/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.h: the recorder's state of one thread, and internals shared by its files. */
#ifndef MASTERMIND_RECORDER_THREAD_H
#define MASTERMIND_RECORDER_THREAD_H

#include <pthread.h>
#include <signal.h>

#include "mastermind/format/clock.h"
#include "mastermind/recorder/core.h"
#include "mastermind/recorder/file_id.h"
#include "mastermind/recorder/recorder.h"
#include "mastermind/format/layout.h"
#include "mastermind/format/storage.h"

enum { MM_WINDOW_BYTES = 256 * 1024, MM_WINDOWS = 8, MM_FRAME_COUNT = 256 };

/* The in-values or the out-values of a method: their number, and positions by type. */
struct mm_group {
    uint32_t count;
    uint32_t int_count;
    unsigned char ints[MONITOR_MAX_IN]; /* positions of the integers among the values */
    unsigned char doubles[MONITOR_MAX_IN];
};

/* Counters of an open invocation: `own` has their values at its start, `callees` the
 * counts of its finished callees. When the invocation ends, `own` becomes the count
 * between start and end, which includes its callees. */
struct mm_counts {
    int64_t own[MM_MAX_COUNTERS], callees[MM_MAX_COUNTERS];
};

struct mm_method {
    struct monitor_method head;
    /* true if the method has two integers as in-values, and no other values are kept; its
     * usual row has 40 bytes */
    int32_t pair;
    int32_t integers; /* true if all kept values, in and out, are integers */
    /* value of mm_thread's `state` with which begin()'s fast path may open the method;
     * MM_NEVER if the method is switched off or not a pair; access by __atomic */
    uintptr_t usual;
    uint64_t id_count; /* id of the method | number of in-values << 32, as in a frame */
    /* contribution of `id_count` and the constant term to a frame's check sum */
    uint64_t frame_sum;
    uint64_t row_word; /* word 0 of a compact row of integers, without its check sum */
    /* contribution of `row_word` and the constant term to a row's check sum */
    uint64_t row_sum;
    uint32_t id;
    /* number of rows of the method's budget that no thread has reserved; access by
     * __atomic */
    int64_t left;
    struct mm_group in, out;
    int admitted; /* true if the method has an id; without one it stays off */
    int is_main;  /* true for a program's main function: its callees are outermost calls,
                     too */
    char *name;   /* name of the method: "instance.port.method" */
    struct mm_method *next;
};

struct mm_helper {
    int wanted;
    /* largest number of measured threads that leaves a core free for the helper */
    int most_threads;
    int state, made;
    pthread_t thread;
    int64_t cpu_ns; /* CPU time of the helper; access by __atomic */
    /* futex on which the helper sleeps; changes when a thread calls the helper */
    uint32_t calls;
    int sleeping, stop;
};

struct mm_recorder {
    struct monitor_port port;
    /* absolute path of the directory for its files; NULL until mm_recorder_place */
    char *directory;
    struct mm_file_id directory_id;
    int removed; /* true if the directory was removed */
    struct mm_recorder_options options;
    struct mm_clock_origin origin;
    double ns_per_tick; /* length of a tick, as first calibrated */
    struct mm_call_costs costs;
    uint64_t pace_ticks; /* duration of the work of pace.c, of which the costs are
                            multiples */
    /* number of calls whose pace is known, and sum of their paces; access by __atomic */
    uint64_t paced_calls, pace_sum;
    /* CPU time for creating, packing, writing and closing files; access by __atomic */
    int64_t files_ns;
    /* CPU time of stretches that are no part of the run (apart.c); access by __atomic */
    int64_t apart_ns;
    int64_t gap_ticks;    /* MM_GAP_NS in ticks */
    int64_t ticks_per_ns; /* ticks per ns, multiplied by 2^32 */
    int64_t reading_ns;   /* cost of a reading of CPU time and context switches */
    int counter_count;
    int extra; /* true if rows have counters */
    int tsc;
    struct mm_storage storage;
    uint64_t bytes; /* total size of the recorder's files; access by __atomic */
    int process;    /* id of the recorder's process; a forked child does not use the
                       recorder */
    int on;
    int stopped;
    /* number of invocations lost because no state could be created for their thread */
    uint64_t lost;

    pthread_mutex_t start_lock; /* guards `directory` until it is set */
    /* guards the following fields; never taken inside begin() or end() */
    pthread_mutex_t lock;
    struct mm_method *methods;
    uint32_t method_count;
    struct mm_thread *threads;
    uint32_t thread_count;
    int announced; /* true if on_first_thread has succeeded */
    int live_threads;
    struct mm_helper helper;
    struct mm_recorder_stats gone; /* sums over threads that have ended */
    struct cca_error error;        /* the first error */
    struct mm_recorder *next;
};

struct mm_thread {
    struct mm_recorder *recorder;
    /* MM_IDLE(recorder), or, while begin() or end() is running, its stack address */
    uintptr_t state;
    struct mm_frame *open;
    uint64_t invocations;
    const int64_t *mpi; /* address of the thread's time inside MPI in ns; never NULL */
    struct mm_core core;
    struct mm_ring_live *live;
    /* `cursor`: where the next row goes; the window is full if the cursor reaches
     * `limit` */
    uint64_t *cursor, *limit;
    uint64_t last_end;
    /* number that is subtracted from invocation numbers in the window's compact rows: the
     * window's base minus 2^31 */
    uint64_t base_biased;
    /* invocation number of the latest compact row's caller, or MM_NO_CALLER if not
     * known */
    uint64_t caller;
    /* contribution of `caller` to word 1 of the compact rows of its callees in this
     * window */
    uint64_t caller_word;
    uint64_t rows; /* copy of live->rows, which would take another load */
    /* the frame slot above `open`, cached to save a load; NULL: there is none yet */
    struct mm_frame *above;
    int failed;           /* true if rows can no longer be kept */
    struct mm_fold *fold; /* aggregates of the thread; NULL: none yet */
    enum mm_storage_mode mode;
    uint64_t count; /* `count` of the storage mode */
    int plain;      /* true if the aggregates have neither counters nor reservoirs */
    int spent;      /* true if the size limit is reached, so that no more rows are kept */
    int fold_failed;
    int apart; /* true in a stretch that is no part of the run (apart.c) */
    /* if a call ends so long after the previous end of a call, a reading of CPU time is
     * stored */
    int64_t gap_ticks;
    /* latest reading of CPU time and context switches at the start or end of a window */
    uint64_t reading[MM_READING_WORDS];

    /* latest pace of the core (pace.c), in 1/MM_PACE_ONE, 0: not measured yet; number of
     * invocations, and ticks, at that time */
    uint32_t pace;
    uint64_t pace_calls, pace_at;

    /* frame that contains all open calls of the thread; never closed */
    struct mm_frame root;
    struct mm_window_head *window;
    /* the same thread's state for another recorder; these states form a ring */
    struct mm_thread *next_here;
    struct mm_thread *next; /* next thread of the recorder */
    uint32_t number;
    uint64_t thread_id;
    int window_count;
    size_t full_bytes[MM_WINDOWS]; /* size of the rows in each full window */
    uint64_t full;                 /* sequence number of the latest full window */
    /* sequence number of the latest packed window; from here on, fields belong to the
     * thread that packs */
    uint64_t packed_seq;
    pthread_mutex_t pack_lock;
    char *ring; /* mapped ring file, or memory without a file */
    size_t ring_bytes;
    int on_file;
    unsigned char *packed;
    size_t packed_bytes;
    uint64_t segment_bytes;
    struct mm_file_id ring_id, segment_id;
    uintptr_t stack_low, stack_high;
    struct mm_frame *chunks[MM_FRAME_CHUNKS];
    /* counters of the frames of each chunk; NULL if there are no counters */
    struct mm_counts *counts[MM_FRAME_CHUNKS];
    struct mm_counts root_counts;
    struct mm_off_core *losses[MM_FRAME_CHUNKS]; /* time lost by each frame's
                                                    invocation */
    struct mm_off_core root_losses;
    int chunk_count;
    struct mm_pack_state pack;
    /* by method id: number of rows that this thread has reserved of the method's
     * budget */
    int32_t quota[65536];
};

/* Value of mm_thread's `state` while neither begin() nor end() is running. No stack has
 * this address. */
#define MM_IDLE(recorder) ((uintptr_t)(recorder))
enum {
    /* value that `state` never has: not the address of a recorder or a stack, and not
       zero */
    MM_NEVER = 1
};

#define MM_NO_CALLER UINT64_MAX

/* Bias that makes invocation numbers in a compact row unsigned, in both halves of a word.
 */
#define MM_BIAS 0x8000000080000000ULL

/* Indexes of pointers in a frame, which only its own process can use. */
enum { MM_FRAME_BELOW, MM_FRAME_ABOVE, MM_FRAME_METHOD };

/* Make `frame` the innermost open frame, and `above` the free slot above it. */
static inline void mm_thread_open(struct mm_thread *t, struct mm_frame *frame,
                                  struct mm_frame *above)
{
    t->open = frame;
    t->above = above;
}

/* --- thread.c */

/* Create the ring and state of the calling thread; without files unless `on_file`.
 * Signals must be blocked. NULL: failed, and the error is stored in the recorder. */
struct mm_thread *mm_thread_new(struct mm_recorder *recorder, int on_file);
/* End the full window, have it packed, and start the next one. `calm` is true if no
 * signal handler is running. Returns 0, or -1: no more rows can be kept. */
int mm_thread_roll(struct mm_thread *thread, int calm);
/* Mark the thread as stopped by the size limit. */
static inline void mm_limit_reached(struct mm_thread *thread)
{
    __atomic_store_n(&thread->live->limited, mm_count_word(1), __ATOMIC_RELAXED);
}
/* Return the number of full windows that are not packed yet; 0 after a failure. */
uint64_t mm_thread_full(const struct mm_thread *thread);
/* Pack the oldest full windows, at most `most`, and write them together; the caller holds
 * pack_lock. Returns 0 or -1. */
int mm_thread_pack(struct mm_thread *thread, uint64_t most);
/* Add a chunk of frames above the topmost one. Returns 0 or -1. */
int mm_thread_grow(struct mm_thread *thread);
/* Close the files of a thread without open frames and free it. */
void mm_thread_finish(struct mm_thread *thread);

/* --- base.c: shared by the recorder's files */

/* State of a thread before the recorder blocked its signals to write files, because a
 * handler could call the recorder. Signals that report faults of the recorder's own code
 * are not blocked. A SIGXFSZ of the file size limit is consumed. */
struct mm_quiet {
    sigset_t before;
    int xfsz_pending;
    int saved_errno;
    int64_t start_ns; /* CPU time of the thread at mm_quiet_begin */
};
void mm_quiet_begin(struct mm_quiet *quiet);
/* Unblock the signals. Returns the CPU time since mm_quiet_begin, which is added to the
 * `files_ns` of `recorder`; this may be NULL. */
int64_t mm_quiet_end(struct mm_quiet *quiet, struct mm_recorder *recorder);
/* Call `function` with signals blocked and errno preserved; returns its result. */
int mm_quietly(struct mm_thread *thread, int (*function)(struct mm_thread *));
/* Write the path of the thread's file with this suffix to `path`. Returns 0 or
 * -ENAMETOOLONG. */
int mm_thread_path(const struct mm_thread *thread, const char *suffix, char *path);
/* Set the head at the start of each file of the thread. */
void mm_thread_head(const struct mm_thread *thread, uint64_t magic,
                    struct mm_file_head *head);
/* Store the first error of a recorder. */
void mm_recorder_fail(struct mm_recorder *recorder, int code, const char *what,
                      const char *path);
/* Return the size of the chunk of frames with this index. */
static inline size_t mm_chunk_bytes(int chunk)
{
    return (size_t)MM_FRAME_COUNT * MM_FRAME_BYTES << chunk;
}
/* Return the counters of one of the thread's frames, or of its root frame. Only if there
 * are counters. */
struct mm_counts *mm_thread_counts(const struct mm_thread *thread,
                                   const struct mm_frame *frame);
/* Return the lost time of one of the thread's frames, or of its root frame. */
struct mm_off_core *mm_thread_losses(const struct mm_thread *thread,
                                     const struct mm_frame *frame);
/* Set the fields of a method that the hot path uses; its values and its id must be
 * known. */
void mm_method_prepare(const struct mm_recorder *recorder, struct mm_method *method);
/* Start or stop recording calls of `method`. */
void mm_method_switch(struct mm_recorder *recorder, struct mm_method *method, int on);

#endif
