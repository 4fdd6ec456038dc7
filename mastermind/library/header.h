/* SPDX-License-Identifier: BSD-3-Clause */
/* header.h: which headers declare the functions of a library. */
#ifndef MASTERMIND_LIBRARY_HEADER_H
#define MASTERMIND_LIBRARY_HEADER_H

#include "mastermind/library/package.h"

/* A header, and functions that it declares. */
struct mm_header {
    char *path;
    char **flags; /* [flag_count] "-I" and the like that it is compiled with */
    size_t flag_count;
    char **functions; /* [function_count], those of the library alone */
    size_t function_count;
};

struct mm_headers {
    struct mm_header *list; /* each function is in one of them */
    size_t count;
    char **without; /* [without_count] functions that none declares */
    size_t without_count;
};

/* Find headers for the functions of `use`; where it names none, for all that the headers
 * declare and the library has. proxygen, at the path given, reads the headers as a
 * compiler does.
 *
 *   headers  out  done with mm_headers_done, also after a failure
 *
 * 0, or a negative errno with `err`. */
int mm_headers_find(struct mm_headers *headers, const struct mm_use *use,
                    const struct mm_package *package, const char *proxygen,
                    struct cca_error *err);
void mm_headers_done(struct mm_headers *headers);

#endif
