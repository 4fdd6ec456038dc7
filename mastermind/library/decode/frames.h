/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.h: unwind information (.eh_frame): the ranges of code that it describes, where
 * their return addresses are, and their landing pads. */
#ifndef MASTERMIND_LIBRARY_DECODE_FRAMES_H
#define MASTERMIND_LIBRARY_DECODE_FRAMES_H

#include "mastermind/library/decode/file.h"

/* A range that one description (FDE) is of. */
struct code_frame {
    uint64_t start, size;
    uint64_t table; /* address of its language's data (LSDA); 0: none */
    const unsigned char *common, *common_end; /* instructions of all of its kind (CIE) */
    const unsigned char *own, *own_end;
    int64_t code_factor, data_factor;
    int has_language; /* a personality routine */
    int is_signal;
};

struct code_frames {
    struct code_frame *list; /* [count], ascending by start */
    size_t count;
};

enum { CODE_UNKNOWN = -1, CODE_RBP = 6, CODE_RSP = 7, CODE_RETURN = 16 };

/* From `address` on the canonical frame address is register `base` (as DWARF counts)
 * plus `offset`. */
struct code_row {
    uint64_t address;
    int base; /* CODE_UNKNOWN: an expression, or not understood */
    int64_t offset;
    int is_usual; /* the return address is below the frame address, where a call puts it
                   */
};

struct code_rows {
    struct code_row *list; /* [count], ascending; memory of [room], kept between calls */
    size_t count, room;
};

/* 0 or -ENOMEM; damaged descriptions are left out. */
int code_frames_read(struct code_frames *frames, const struct code_file *file);
void code_frames_done(struct code_frames *frames);
/* The frame that begins at this address, or NULL. */
const struct code_frame *code_frames_at(const struct code_frames *frames,
                                        uint64_t address);
/* All rows of a frame. 0, -EBADMSG: not understood; -ENOMEM. */
int code_frame_rows(const struct code_frame *frame, struct code_rows *rows);
/* Call `visit` with the address of each landing pad. 0 or the first other result. */
int code_frame_pads(const struct code_frame *frame, const struct code_file *file,
                    int (*visit)(void *context, uint64_t address), void *context);

#endif
