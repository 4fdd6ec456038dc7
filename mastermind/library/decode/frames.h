/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.h: unwind information (.eh_frame): its ranges of code, the positions of return
 * addresses on the stack, and the landing pads of exceptions. */
#ifndef MASTERMIND_LIBRARY_DECODE_FRAMES_H
#define MASTERMIND_LIBRARY_DECODE_FRAMES_H

#include "mastermind/library/decode/file.h"

/* The range of code of one entry (FDE) of .eh_frame. */
struct code_frame {
    uint64_t start, size;
    uint64_t table; /* address of the table of landing pads (LSDA); 0: none */
    /* unwind instructions common to several entries (CIE) */
    const unsigned char *common, *common_end;
    const unsigned char *own, *own_end;
    int64_t code_factor, data_factor;
    int has_language; /* true if the entry has a personality routine (the language's
                         function for exceptions) */
    int is_signal;
};

struct code_frames {
    struct code_frame *list; /* [count], ascending by start */
    size_t count;
};

enum { CODE_UNKNOWN = -1, CODE_RBP = 6, CODE_RSP = 7, CODE_RETURN = 16 };

/* One row of the unwind table: from `address` on, the canonical frame address (CFA) is
 * the value of the register with DWARF's number `base`, plus `offset`. */
struct code_row {
    uint64_t address;
    int base; /* CODE_UNKNOWN if the CFA is an expression, or was not understood */
    int64_t offset;
    /* true if the return address is directly below the CFA, where a call puts it */
    int is_usual;
};

struct code_rows {
    struct code_row *list; /* [count], ascending by address; its memory has [room]
                              elements and is used again by later calls */
    size_t count, room;
};

/* Read all entries of the file; damaged ones are omitted. Returns 0 or -ENOMEM. */
int code_frames_read(struct code_frames *frames, const struct code_file *file);
void code_frames_done(struct code_frames *frames);
/* Return the entry whose range begins at this address, or NULL. */
const struct code_frame *code_frames_at(const struct code_frames *frames,
                                        uint64_t address);
/* Compute all rows of an entry. Returns 0; -EBADMSG: an instruction was not understood;
 * -ENOMEM. */
int code_frame_rows(const struct code_frame *frame, struct code_rows *rows);
/* Call `visit` with the address of each landing pad. Returns 0, or the first other result
 * of `visit`. */
int code_frame_pads(const struct code_frame *frame, const struct code_file *file,
                    int (*visit)(void *context, uint64_t address), void *context);

#endif
