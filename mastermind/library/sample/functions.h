/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.h: the functions of a file by their addresses, from its symbol tables, and
 * without names from its unwind information. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_FUNCTIONS_H
#define MASTERMIND_LIBRARY_SAMPLE_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/decode/file.h"

struct sample_function {
    uint64_t address, end;
    uint64_t limit;   /* end of the function's section */
    const char *name; /* borrowed from the file; NULL: no symbol, only unwind information
                       */
    int is_linkage;   /* true for the linker's stubs for calls of other files */
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

/* Return the address at which byte `offset` of the file is loaded; 0: the byte is not
 * loaded. */
uint64_t sample_functions_address(const struct sample_functions *functions,
                                  uint64_t offset);
/* Return the function that contains an address; NULL: no known function. */
const struct sample_function *
sample_functions_at(const struct sample_functions *functions, uint64_t address);

/* Return the name of a function of the file `path`: of its symbol as below, of an address
 * without symbol "libc.so.6+0x1234". New; NULL: out of memory. */
char *sample_functions_name(const struct sample_function *function, const char *path);
/* Return the function's name in its source: C++ without arguments, Fortran without the
 * compiler's prefix and underscore. New; NULL: out of memory. */
char *sample_function_name(const char *symbol);

#endif
