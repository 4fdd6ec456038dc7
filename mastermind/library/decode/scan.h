/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.h: addresses that the code and data of a file refer to, and acts of a function
 * that forbid to move its beginning. */
#ifndef MASTERMIND_LIBRARY_DECODE_SCAN_H
#define MASTERMIND_LIBRARY_DECODE_SCAN_H

#include "mastermind/library/decode/code.h"
#include "mastermind/library/decode/file.h"
#include "mastermind/library/decode/frames.h"

/* How an address is referred to. */
enum {
    CODE_BY_CALL = 1,
    CODE_BY_JUMP = 2,
    CODE_BY_BRANCH = 4,
    CODE_BY_ADDRESS = 8,  /* taken, or kept in data */
    CODE_BY_NAME = 16,    /* a symbol, or a landing pad */
    CODE_BY_TAIL = 32,    /* a jump with the return address on top of the stack */
    CODE_BY_RESOLVER = 64 /* the dynamic linker calls it to choose an implementation */
};

struct code_reference {
    uint64_t address;
    unsigned how;
};

struct code_leap {
    uint64_t target;
    size_t function; /* that it leaves */
};

struct code_scan {
    const struct code_file *file;
    struct mm_code *code;
    struct code_frames frames;
    struct code_reference *references; /* [count], ascending once code_scan has ended */
    size_t reference_count;
    struct code_leap *leaps; /* jumps out of functions */
    size_t leap_count;
    uint64_t *tables; /* addresses of data that code takes */
    size_t table_count;
    uint64_t *slots; /* ascending: where the linker keeps addresses of functions that ask
                        who called them, or return twice */
    size_t slot_count;
    uint64_t *asking; /* those functions of the file itself, and the linker's stubs */
    size_t asking_count;
    struct code_rows rows;
};

/* Fill the scan, of which `file` and `code` are set, and refuse functions by their code.
 * 0 or -ENOMEM. */
int code_scan(struct code_scan *scan);
void code_scan_done(struct code_scan *scan);
/* How addresses from `from` to before `to` are referred to: bits. */
unsigned code_scan_how(const struct code_scan *scan, uint64_t from, uint64_t to);

#endif
