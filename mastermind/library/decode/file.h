/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: an ELF file in memory, read by addresses; it may be hostile. */
#ifndef MASTERMIND_DECODE_FILE_H
#define MASTERMIND_DECODE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

/* A part of the file that is at `address` when it runs. */
struct code_part {
    uint64_t address, size; /* bytes of the file */
    const unsigned char *bytes;
    int is_code;
    int is_linkage; /* stubs that the linker has made */
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
    int is_fixed; /* it is loaded at the addresses of the file */
    uint64_t entry;
    struct code_part *parts; /* [part_count] segments */
    size_t part_count;
    struct code_part *codes; /* [code_count] sections of code; without sections, segments
                                of code */
    size_t code_count;
    struct code_symbol *symbols; /* [symbol_count] of both tables */
    size_t symbol_count;
    int has_symbols; /* also of functions that the dynamic linker does not know */
    size_t dynamic_symbol_first; /* where the dynamic table begins */
    struct code_relocation *relocations;
    size_t relocation_count;
    uint64_t frames;    /* address of .eh_frame; 0: none */
    uint64_t starts[2]; /* of DT_INIT and DT_FINI */
    int is_go;
};

/* 0, or a negative errno with `err`, as of mm_code_read. */
int code_file_open(struct code_file *file, const char *path, struct cca_error *err);
void code_file_close(struct code_file *file);

/* The bytes from `address` on, and how many there are to the end of its segment; NULL:
 * the file has none. */
const unsigned char *code_file_at(const struct code_file *file, uint64_t address,
                                  size_t *count);
/* The part of code that has this address, or NULL. */
const struct code_part *code_file_code(const struct code_file *file, uint64_t address);

#endif
