/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h: rewrite the first instructions of a function for another address. */
#ifndef MASTERMIND_LIBRARY_DECODE_MOVE_H
#define MASTERMIND_LIBRARY_DECODE_MOVE_H

#include "mastermind/library/decode/code.h"

/* Fill the members `length`, `original`, `moved` and `fixes` of a function, or set its
 * `refusal`. * bytes  in  [count] bytes of code from function->site on */
void code_move(struct mm_code_function *function, const unsigned char *bytes,
               size_t count);

#endif
