/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.h: the functions of a file by their addresses, from its symbol tables, and,
 * without names, from its unwind information. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_FUNCTIONS_H
#define MASTERMIND_LIBRARY_SAMPLE_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/decode/file.h"

struct sample_function {
    uint64_t address, end;
    uint64_t limit;   /* end of its section: it has no code beyond */
    const char *name; /* borrowed from the file; NULL: known from unwind information
                         alone */
    int is_linkage;   /* stubs that the linker has made */
    int rank;         /* of names for one address the one with the least is taken */
};

struct sample_functions {
    struct code_file file;
    struct sample_function *list; /* [count], ascending, each address once */
    size_t count;
};

/* Read a file; a file without code has no functions. 0 or -ENOMEM. */
int sample_functions_read(struct sample_functions *functions, const char *path);
void sample_functions_done(struct sample_functions *functions);

/* The address at which byte `offset` of the file is loaded; 0: it is not loaded. */
uint64_t sample_functions_address(const struct sample_functions *functions,
                                  uint64_t offset);
/* The function that holds an address; NULL: none is known. */
const struct sample_function *
sample_functions_at(const struct sample_functions *functions, uint64_t address);

/* The name of a function of the file `path`: its symbol as people write it,
 * "libc.so.6+0x1234" without one, or a text for stubs. New; NULL: out of memory. */
char *sample_functions_name(const struct sample_function *function, const char *path);
/* The name as people write it: C++ without arguments, Fortran without the compiler's
 * prefix and underscore. New; NULL: out of memory. */
char *sample_function_name(const char *symbol);

#endif
