/* SPDX-License-Identifier: BSD-3-Clause */
/* called_file.h: layout of a rank's file methods.called. It lists the methods that got
 * their id at their first call, until the run ends and methods.json lists them.
 *
 *     head       magic, and the number of valid bytes after the head; access by __atomic
 *     entries    a head, and a JSON object as in methods.json, with blanks up to 8 bytes
 *
 * The file is mapped while it is written, so that a killed process leaves a valid
 * file. */
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
