/* SPDX-License-Identifier: BSD-3-Clause */
/* called_file.h: methods.called of a rank, which has the methods whose id was given at
 * their first call, from then until the run ends and they are in methods.json.
 *
 *     head       magic, and the number of bytes behind it that are valid; __atomic
 *     entries    a head, and an object as in methods.json, padded with blanks to 8 bytes
 *
 * It is mapped while it is written, so that a killed process leaves it whole. */
#ifndef MASTERMIND_FORMAT_CALLED_FILE_H
#define MASTERMIND_FORMAT_CALLED_FILE_H

#include "mastermind/format/layout.h"

#define MM_CALLED_FILE "methods.called"
#define MM_CALLED_MAGIC UINT64_C(0x31646c6c61436d6d) /* "mmCalld1" */

struct mm_called_head {
    uint64_t magic, used;
};

struct mm_called_entry {
    uint64_t check; /* mm_block_check of the text, from MM_CHECK_START + bytes */
    uint64_t bytes; /* size of the text, which follows; a multiple of 8 */
};

#endif
