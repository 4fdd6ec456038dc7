/* SPDX-License-Identifier: BSD-3-Clause */
/* vectors.h: the functions that code which may not touch vector registers calls, so that
 * they are kept around them: in its objects, F is mm_kept_F. */
#ifndef MASTERMIND_PRELOAD_VECTORS_H
#define MASTERMIND_PRELOAD_VECTORS_H

#define MM_KEPT_FUNCTIONS(_)                                                             \
    _(clock_gettime)                                                                     \
    _(memcmp)                                                                            \
    _(memcpy)                                                                            \
    _(munmap)                                                                            \
    _(mm_begin_extra)                                                                    \
    _(mm_bury)                                                                           \
    _(mm_core_at_begin)                                                                  \
    _(mm_core_at_end)                                                                    \
    _(mm_core_close)                                                                     \
    _(mm_end_extra)                                                                      \
    _(mm_fill_wide_row)                                                                  \
    _(mm_find_frame)                                                                     \
    _(mm_make_frame)                                                                     \
    _(mm_make_room)                                                                      \
    _(mm_put_extra)                                                                      \
    _(mm_reading_at_row)                                                                 \
    _(mm_thread_here)                                                                    \
    _(mm_put_losses)                                                                     \
    _(mm_random_below)                                                                   \
    _(mm_reservoir_row)                                                                  \
    _(mm_sample_next)                                                                    \
    _(mm_sample_row)                                                                     \
    _(mm_thread_counts)                                                                  \
    _(mm_fold_allows)                                                                    \
    _(mm_fold_memory)                                                                    \
    _(mm_fold_of)                                                                        \
    _(mm_fold_place)                                                                     \
    _(mm_quietly)                                                                        \
    _(mm_slots_settle)                                                                   \
    _(mm_slots_refill)                                                                   \
    _(mm_slots_open)                                                                     \
    _(mm_slots_look)

#endif
