/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.h: find the addresses that code and data of a file refer to, and functions whose
 * beginning must not be moved. */
#ifndef MASTERMIND_LIBRARY_DECODE_SCAN_H
#define MASTERMIND_LIBRARY_DECODE_SCAN_H

#include "mastermind/library/decode/code.h"
#include "mastermind/library/decode/file.h"
#include "mastermind/library/decode/frames.h"

/* Kinds of references to an address, as bits. */
enum {
    CODE_BY_CALL = 1,
    CODE_BY_JUMP = 2,
    CODE_BY_BRANCH = 4,
    CODE_BY_ADDRESS = 8, /* the address is computed by code or stored in data */
    CODE_BY_NAME = 16,   /* a symbol or a landing pad has the address */
    /* a jump with the return address on top of the stack (tail call) */
    CODE_BY_TAIL = 32,
    CODE_BY_RESOLVER = 64 /* the dynamic linker calls it to choose an implementation */
};

struct code_reference {
    uint64_t address;
    unsigned how;
};

struct code_leap {
    uint64_t target;
    size_t function; /* index of the function that contains the jump */
};

struct code_scan {
    const struct code_file *file;
    struct mm_code *code;
    struct code_frames frames;
    struct code_reference *references; /* [count] references, ascending by address when
                                          code_scan has ended */
    size_t reference_count;
    struct code_leap *leaps; /* jumps out of a function */
    size_t leap_count;
    uint64_t *tables; /* addresses of data that code computes: perhaps jump tables */
    size_t table_count;
    /* ascending addresses where the dynamic linker stores pointers to functions such as
     * setjmp and dlopen, which return twice or look up their caller */
    uint64_t *slots;
    size_t slot_count;
    /* addresses of functions such as setjmp and dlopen in this file, and of the linker's
     * stubs for them */
    uint64_t *asking;
    size_t asking_count;
    struct code_rows rows;
};

/* Fill the scan, whose `file` and `code` are set, and refuse functions that must not be
 * moved. Returns 0 or -ENOMEM. */
int code_scan(struct code_scan *scan);
void code_scan_done(struct code_scan *scan);
/* Return the kinds of references to the addresses [from, to), as a set of bits. */
unsigned code_scan_how(const struct code_scan *scan, uint64_t from, uint64_t to);

#endif
