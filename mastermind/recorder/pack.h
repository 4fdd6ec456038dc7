/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h: compress a window's rows into a block of a segment. */
#ifndef MASTERMIND_RECORDER_PACK_H
#define MASTERMIND_RECORDER_PACK_H

#include "mastermind/format/layout.h"

/* Upper bound of the size of a packed block, including its head, for `bytes` of rows. */
size_t mm_pack_bound(size_t bytes);

/* Pack the complete rows after the head `window`, `row_bytes` bytes, into `out`.
 *
 *   window  in   head, then rows
 *   state   in   scratch
 *   out     out  mm_pack_bound(row_bytes) bytes, 8-aligned
 *
 * Returns the size of the block, a multiple of 8. */
size_t mm_pack_window(const struct mm_window_head *window, size_t row_bytes,
                      struct mm_pack_state *state, unsigned char *out);

/* Write the last block of a thread's segment, a head and a trailer, to `out`; the thread
 * had `invocations` invocations. Returns the block's size. */
size_t mm_pack_trailer(uint64_t seq, const struct mm_ring_live *live,
                       uint64_t invocations, unsigned char *out);

#endif
