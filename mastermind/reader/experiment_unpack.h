/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_unpack.h: decode a block of a segment into the words of its rows. */
#ifndef MASTERMIND_READER_EXPERIMENT_UNPACK_H
#define MASTERMIND_READER_EXPERIMENT_UNPACK_H

#include "mastermind/format/layout.h"

struct mm_unpacker {
    const unsigned char *at, *end;
    struct mm_pack_state state;
};

/* Begin with the payload of a block whose check is valid. */
void mm_unpack_begin(struct mm_unpacker *unpacker, const unsigned char *payload,
                     size_t bytes);
/* Decode the next row or reading without its check. Returns its number of words; 0:
 * invalid. */
size_t mm_unpack_row(struct mm_unpacker *unpacker, uint64_t words[MM_ROW_MAX_WORDS]);

#endif
