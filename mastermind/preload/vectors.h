/* SPDX-License-Identifier: BSD-3-Clause */
/* vectors.h: lists of functions that are called by code which must not change vector
 * registers. In that code's object files a function F is renamed to mm_kept_F, which
 * saves these registers, calls F and restores them.
 *
 * Functions of the second list may need more stack than the program has left, for example
 * on an alternate signal stack. They run on a stack of the recorder's own, with signals
 * blocked. */
#ifndef MASTERMIND_PRELOAD_VECTORS_H
#define MASTERMIND_PRELOAD_VECTORS_H

#include <stdint.h>

#define MM_KEPT_HERE(_)                                                                  \
    _(clock_gettime)                                                                     \
    _(memcpy)                                                                            \
    _(mm_begin_extra)                                                                    \
    _(mm_core_close)                                                                     \
    _(mm_end_extra)                                                                      \
    _(mm_put_extra)                                                                      \
    _(mm_random_below)                                                                   \
    _(mm_reservoir_row)                                                                  \
    _(mm_sample_next)                                                                    \
    _(mm_sample_row)                                                                     \
    _(mm_thread_counts)                                                                  \
    _(mm_fold_allows)

#define MM_KEPT_ASIDE(_)                                                                 \
    _(munmap)                                                                            \
    _(mm_bury)                                                                           \
    _(mm_core_at_begin)                                                                  \
    _(mm_core_at_end)                                                                    \
    _(mm_find_frame)                                                                     \
    _(mm_make_frame)                                                                     \
    _(mm_make_room)                                                                      \
    _(mm_reading_at_row)                                                                 \
    _(mm_thread_here)                                                                    \
    _(mm_fold_memory)                                                                    \
    _(mm_fold_of)                                                                        \
    _(mm_quietly)                                                                        \
    _(mm_slots_settle)                                                                   \
    _(mm_slots_refill)                                                                   \
    _(mm_slots_open)                                                                     \
    _(mm_rests_look)                                                                     \
    _(mm_rests_suspend)                                                                  \
    _(mm_rests_check)

/* A stack of the recorder's own for the calling thread. While it is used, all signals are
 * blocked except faults of the recorder's own code. */
struct mm_own_stack {
    char *top; /* NULL: none yet */
    uint64_t is_used;
};

extern __thread struct mm_own_stack mm_vectors_own
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Give the calling thread the signals back that were blocked during a call (struct
 * mm_call_thread, is_masked). */
void mm_vectors_unmask(void);
/* Mark the recorder's stack of the calling thread as free, because longjmp has left the
 * function that ran on it. */
void mm_vectors_settle(void);
/* Free the recorder's stack of the calling thread, at the thread's end. */
void mm_vectors_done(void);

#endif
