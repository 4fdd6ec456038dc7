/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.h: the functions of a file by their addresses: with names from its symbol
 * tables, without names from its unwind information. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_FUNCTIONS_H
#define MASTERMIND_LIBRARY_SAMPLE_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/decode/file.h"

struct sample_function {
    uint64_t address, end;
    uint64_t limit;   /* end of the function's section */
    const char *name; /* name, borrowed from the file; NULL: the function has no symbol,
                       * only unwind
                       * information */
    int is_linkage; /* true for the linker's stubs through which functions of other files
                       are called */
    /* among several names of one address, the name with the least rank is used */
    int rank;
};

struct sample_functions {
    struct code_file file;
    struct sample_function *list; /* [count], ascending by address, each address once */
    size_t count;
};

/* Read the symbols of a file; a file without code has no functions. Returns 0 or
 * -ENOMEM. */
int sample_functions_read(struct sample_functions *functions, const char *path);
void sample_functions_done(struct sample_functions *functions);

/* Return the address at which the byte at `offset` of the file is loaded; 0: the byte is
 * not loaded. */
uint64_t sample_functions_address(const struct sample_functions *functions,
                                  uint64_t offset);
/* Return the function that contains an address; NULL: no known function. */
const struct sample_function *
sample_functions_at(const struct sample_functions *functions, uint64_t address);

/* Return a new name for a function of the file `path`: the name that sample_function_name
 * makes of its symbol, or, without a symbol, file and address: "libc.so.6+0x1234". NULL:
 * out of memory. */
char *sample_functions_name(const struct sample_function *function, const char *path);
/* Return a new string, the function's name as in its source: C++ without arguments,
 * Fortran without the compiler's prefix and underscore. NULL: out of memory. */
char *sample_function_name(const char *symbol);

#endif
