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

/* The in-values or the out-values of a method, and their size in a row. */
struct mm_group {
    uint32_t count;
    uint32_t int_count;
    unsigned char ints[MONITOR_MAX_IN]; /* positions of the integers among the values */
    unsigned char doubles[MONITOR_MAX_IN];
};

/* Counters of an open invocation: `own` has their values at its start, `callees` the
 * counts of finished callees. At its end, `own` becomes its count, including callees. */
struct mm_counts {
    int64_t own[MM_MAX_COUNTERS], callees[MM_MAX_COUNTERS];
};

struct mm_method {
    struct monitor_method head;
    int32_t pair;       /* 1: the method has two integers in, and no other values are
                           kept: its usual row has 40 bytes */
    int32_t integers;   /* 1: only integers are kept, in and out */
    uintptr_t usual;    /* state of a thread in which mm_begin may open the method;
                           MM_NEVER if it is switched off or not a pair; __atomic */
    uint64_t id_count;  /* id of the method, and number of in-values << 32, as in a
                           frame */
    uint64_t frame_sum; /* contribution of id_count and the constant term to a frame's
                           check */
    uint64_t row_word;  /* word 0 of a compact row of integers, without check */
    uint64_t row_sum;   /* contribution of row_word and the constant term to a row's
                           check */
    uint32_t id;
    int64_t left; /* rows of the budget not leased by a thread; __atomic */
    struct mm_group in, out;
    int admitted; /* 1: the method has an id; else it stays off */
    char *name;   /* name of the method: "instance.port.method" */
    struct mm_method *next;
};

struct mm_helper {
    int wanted;
    int most_threads; /* with more recording threads, no core is free for the helper */
    int state, made;
    pthread_t thread;
    int64_t cpu_ns; /* CPU time of the helper; __atomic */
    uint32_t calls; /* futex: changes with every full window */
    int sleeping, stop;
};

struct mm_recorder {
    struct monitor_port port;
    char *directory; /* absolute path; NULL until mm_recorder_place */
    struct mm_file_id directory_id;
    int removed; /* 1: the directory was removed */
    struct mm_recorder_options options;
    struct mm_clock_origin origin;
    double ns_per_tick; /* length of a tick, from the first calibration */
    struct mm_call_costs costs;
    int64_t files_ns;     /* CPU time for files; __atomic */
    int64_t gap_ticks;    /* MM_GAP_NS in ticks */
    int64_t ticks_per_ns; /* ticks per ns, multiplied by 2^32 */
    int64_t reading_ns;   /* cost of a reading of CPU time and switches */
    int counter_count;
    int extra; /* 1: rows have counters */
    int tsc;
    struct mm_storage storage;
    uint64_t bytes; /* total size of the recorder's files; __atomic */
    int process;    /* id of the recorder's process; a forked child does not use the
                       recorder */
    int on;
    int stopped;
    uint64_t lost; /* invocations lost because no thread state could be created */

    pthread_mutex_t start_lock; /* guards `directory` until it is set */
    pthread_mutex_t lock;       /* guards the fields below; never taken inside begin() or
                                   end() */
    struct mm_method *methods;
    uint32_t method_count;
    struct mm_thread *threads;
    uint32_t thread_count;
    int announced; /* 1: on_first_thread has succeeded */
    int live_threads;
    struct mm_helper helper;
    struct mm_recorder_stats gone; /* sums over threads that ended */
    struct cca_error error;        /* the first error */
    struct mm_recorder *next;
};

struct mm_thread {
    struct mm_recorder *recorder;
    uintptr_t state; /* MM_IDLE of its recorder, or the stack address of the running
                        begin() or end() */
    struct mm_frame *open;
    uint64_t invocations;
    const int64_t *mpi; /* the thread's time inside MPI; never NULL */
    struct mm_core core;
    struct mm_ring_live *live;
    uint64_t *cursor, *limit; /* cursor: next row; the window is full if the cursor
                                 reaches `limit` */
    uint64_t last_end;
    uint64_t base_biased; /* base of the invocation numbers in the window's compact
                             rows, minus 2^31 */
    uint64_t caller;      /* invocation number of the caller of the latest pair, or
                             MM_NO_CALLER */
    uint64_t caller_word; /* contribution of `caller` to word 1 of its callees' rows in
                             this window */
    uint64_t rows;        /* copy of live->rows, which would take another load */
    struct mm_frame
        *above; /* the slot above `open`, cached to save a load; NULL: none yet */
    int failed; /* 1: rows can no longer be kept */
    struct mm_fold *fold; /* aggregates; NULL: none yet */
    enum mm_storage_mode mode;
    uint64_t count; /* number N of the storage mode */
    int plain;      /* 1: the aggregates have no counters and no reservoirs */
    int spent;      /* 1: the size limit is reached: no more rows */
    int fold_failed;
    int64_t gap_ticks; /* a row that ends so long after the previous one has a reading */
    uint64_t reading[MM_READING_WORDS]; /* latest reading at the begin or end of a
                                           window */

    struct mm_frame root; /* frame below the outermost one; never closed */
    struct mm_window_head *window;
    struct mm_thread *next_here; /* the same thread's state of another recorder; the
                                    states form a ring */
    struct mm_thread *next;      /* next thread of the recorder */
    uint32_t number;
    uint64_t thread_id;
    int window_count;
    size_t full_bytes[MM_WINDOWS]; /* size of the rows of full windows */
    uint64_t full;                 /* sequence number of the latest full window */
    uint64_t packed_seq; /* sequence number of the latest packed window; it and the
                            next fields are the packer's state */
    pthread_mutex_t pack_lock;
    char *ring; /* ring file as mapped, or memory without a file */
    size_t ring_bytes;
    int on_file;
    unsigned char *packed;
    size_t packed_bytes;
    uint64_t segment_bytes;
    struct mm_file_id ring_id, segment_id;
    uintptr_t stack_low, stack_high;
    struct mm_frame *chunks[MM_FRAME_CHUNKS];
    struct mm_counts
        *counts[MM_FRAME_CHUNKS]; /* counters of the frames; NULL without counters */
    struct mm_counts root_counts;
    struct mm_off_core *losses[MM_FRAME_CHUNKS]; /* time lost by each frame's
                                                    invocation */
    struct mm_off_core root_losses;
    int chunk_count;
    struct mm_pack_state pack;
    int32_t quota[65536]; /* rows of each method's budget leased by this thread; else 0 */
};

/* State of a thread of the recorder while neither begin() nor end() is running. No stack
 * has this address. */
#define MM_IDLE(recorder) ((uintptr_t)(recorder))
enum {
    MM_NEVER = 1
}; /* state that no recorder or stack has as address, nor does wiped memory hold it */

#define MM_NO_CALLER UINT64_MAX

/* Bias that makes invocation numbers in a compact row unsigned, in both halves of a word.
 */
#define MM_BIAS 0x8000000080000000ULL

/* Indexes of a frame's process-local pointers. */
enum { MM_FRAME_BELOW, MM_FRAME_ABOVE, MM_FRAME_METHOD };

/* Make `frame` the innermost, and `above` the slot above it. */
static inline void mm_thread_open(struct mm_thread *t, struct mm_frame *frame,
                                  struct mm_frame *above)
{
    t->open = frame;
    t->above = above;
}

/* --- thread.c */

/* Create the ring and state of the calling thread. Signals must be blocked. NULL: the
 * error is stored in the recorder. */
struct mm_thread *mm_thread_new(struct mm_recorder *recorder, int on_file);
/* End the full window, have it packed, start the next one. `calm`: no signal handler is
 * running. Returns 0, or -1: no more rows can be kept. */
int mm_thread_roll(struct mm_thread *thread, int calm);
/* Mark the thread as stopped by the size limit. */
static inline void mm_limit_reached(struct mm_thread *thread)
{
    __atomic_store_n(&thread->live->limited, mm_count_word(1), __ATOMIC_RELAXED);
}
/* Number of full windows that are not yet packed; 0 after a failure. */
uint64_t mm_thread_full(const struct mm_thread *thread);
/* Pack the oldest full windows, at most `most`, and write them together; the caller holds
 * pack_lock. Returns 0 or -1. */
int mm_thread_pack(struct mm_thread *thread, uint64_t most);
/* Add a chunk of frames above the topmost one. Returns 0 or -1. */
int mm_thread_grow(struct mm_thread *thread);
/* Close the files of a thread without open frames and free it. */
void mm_thread_finish(struct mm_thread *thread);

/* --- base.c: shared by the recorder's files */

/* Block signals while files are written, except those raised by our own code, because a
 * handler could call the recorder. SIGXFSZ of the file size limit is consumed. */
struct mm_quiet {
    sigset_t before;
    int xfsz_pending;
    int saved_errno;
    int64_t start_ns; /* CPU time of the thread */
};
void mm_quiet_begin(struct mm_quiet *quiet);
/* Add the time since mm_quiet_begin to the file time of `recorder`, which may be NULL,
 * and return it. */
int64_t mm_quiet_end(struct mm_quiet *quiet, struct mm_recorder *recorder);
/* Call `function` with signals blocked and errno preserved; returns its result. */
int mm_quietly(struct mm_thread *thread, int (*function)(struct mm_thread *));
/* The path of one of the thread's files. 0 or -ENAMETOOLONG. */
int mm_thread_path(const struct mm_thread *thread, const char *suffix, char *path);
/* Set the head at the start of each file of the thread. */
void mm_thread_head(const struct mm_thread *thread, uint64_t magic,
                    struct mm_file_head *head);
/* Store the first error of a recorder. */
void mm_recorder_fail(struct mm_recorder *recorder, int code, const char *what,
                      const char *path);
/* Bytes of a chunk of frames. */
static inline size_t mm_chunk_bytes(int chunk)
{
    return (size_t)MM_FRAME_COUNT * MM_FRAME_BYTES << chunk;
}
/* Counters of one of the thread's frames, or of its root; only if there are counters. */
struct mm_counts *mm_thread_counts(const struct mm_thread *thread,
                                   const struct mm_frame *frame);
/* Lost time of one of the thread's frames, or of its root. */
struct mm_off_core *mm_thread_losses(const struct mm_thread *thread,
                                     const struct mm_frame *frame);
/* Set the fields used by the hot path for a method with known values and id. */
void mm_method_prepare(const struct mm_recorder *recorder, struct mm_method *method);
/* Start or stop recording calls of `method`. */
void mm_method_switch(struct mm_recorder *recorder, struct mm_method *method, int on);

#endif
