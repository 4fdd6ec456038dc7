/* SPDX-License-Identifier: BSD-3-Clause */
/* vectors.h: the functions that code which may not touch vector registers calls, so that
 * they are kept around them: in its objects, F is mm_kept_F.
 *
 * Functions of the second list may need more stack than the program has left, as on an
 * alternate signal stack. They run on a stack of the recorder, with signals blocked. */
#ifndef MASTERMIND_PRELOAD_VECTORS_H
#define MASTERMIND_PRELOAD_VECTORS_H

#define MM_KEPT_HERE(_)                                                                  \
    _(clock_gettime)                                                                     \
    _(memcmp)                                                                            \
    _(memcpy)                                                                            \
    _(mm_begin_extra)                                                                    \
    _(mm_core_close)                                                                     \
    _(mm_end_extra)                                                                      \
    _(mm_fill_wide_row)                                                                  \
    _(mm_put_extra)                                                                      \
    _(mm_put_losses)                                                                     \
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
    _(mm_fold_place)                                                                     \
    _(mm_quietly)                                                                        \
    _(mm_slots_settle)                                                                   \
    _(mm_slots_refill)                                                                   \
    _(mm_slots_open)                                                                     \
    _(mm_rests_look)                                                                     \
    _(mm_rests_suspend)                                                                  \
    _(mm_rests_check)

/* The thread's stack is free again: longjmp has left the function that ran on it. */
void mm_vectors_settle(void);
/* Free the thread's stack, at its end. */
void mm_vectors_done(void);

#endif
