/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h: the instructions at the beginning of a function, written for another place. */
#ifndef MASTERMIND_LIBRARY_DECODE_MOVE_H
#define MASTERMIND_LIBRARY_DECODE_MOVE_H

#include "mastermind/library/decode/code.h"

/* Fill the members length, original, moved and fixes of a function, or refuse it.
 *
 *   bytes  in  [count] from function->site on */
void code_move(struct mm_code_function *function, const unsigned char *bytes,
               size_t count);

#endif
