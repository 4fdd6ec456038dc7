/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: an ELF file in memory, read by address. The file may be damaged or hostile. */
#ifndef MASTERMIND_DECODE_FILE_H
#define MASTERMIND_DECODE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

/* A part of the file that is loaded at `address`. */
struct code_part {
    uint64_t address, size; /* size in bytes in the file */
    const unsigned char *bytes;
    int is_code;
    int is_linkage; /* true for a section of stubs that the linker made (PLT) */
};

struct code_symbol {
    uint64_t address, size;
    const char *name; /* borrowed from the file, never NULL */
    unsigned char type, bind;
    int is_defined;
};

struct code_relocation {
    uint64_t place, addend;
    uint32_t type, symbol;
};

struct code_file {
    const unsigned char *bytes;
    size_t size;
    /* true if the file is loaded at the addresses that it states (no position-independent
     * file) */
    int is_fixed;
    uint64_t entry;
    struct code_part *parts; /* [part_count] segments */
    size_t part_count;
    struct code_part *codes; /* [code_count] sections of code; without sections, segments
                                of code */
    size_t code_count;
    /* [symbol_count] symbols of the full and of the dynamic symbol table */
    struct code_symbol *symbols;
    size_t symbol_count;
    /* true if the file has a full symbol table, which lists static functions, too */
    int has_symbols;
    size_t dynamic_symbol_first; /* index of the first symbol of the dynamic table */
    struct code_relocation *relocations;
    size_t relocation_count;
    uint64_t frames;    /* address of the section .eh_frame; 0: none */
    uint64_t starts[2]; /* addresses of the functions DT_INIT and DT_FINI */
    int is_go;
};

/* Read a file into memory. Returns 0, or a negative errno with `err` like
 * mm_code_read. */
int code_file_open(struct code_file *file, const char *path, struct cca_error *err);
void code_file_close(struct code_file *file);

/* Return the bytes that are loaded from `address` on; `*count` is set to their number up
 * to the end of the segment. NULL: the file has no bytes for this address. */
const unsigned char *code_file_at(const struct code_file *file, uint64_t address,
                                  size_t *count);
/* Return the code section that contains this address, or NULL. */
const struct code_part *code_file_code(const struct code_file *file, uint64_t address);

#endif
