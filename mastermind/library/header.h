/* SPDX-License-Identifier: BSD-3-Clause */
/* header.h: find the C headers that declare the functions of a library. */
#ifndef MASTERMIND_LIBRARY_HEADER_H
#define MASTERMIND_LIBRARY_HEADER_H

#include "mastermind/library/package.h"

/* A header, and the library's functions that it declares. */
struct mm_header {
    char *path;
    char **flags; /* [flag_count] "-I" and other compiler flags that the header needs */
    size_t flag_count;
    char **functions; /* [function_count] names of functions that this library defines and
                         the header declares */
    size_t function_count;
};

struct mm_headers {
    struct mm_header *list; /* headers; each function belongs to one of them */
    size_t count;
    char **without; /* [without_count] functions that no header declares */
    size_t without_count;
    /* [variadic_count] functions that a header declares with "...", and whose arguments
     * cannot be passed on */
    char **variadic;
    size_t variadic_count;
};

/* Tools for reading headers. */
struct mm_header_reader {
    /* path of the program proxygen, which reads headers like a compiler */
    const char *proxygen;
    /* [flag_count] compiler options that the user has given: "-D", "A=1" */
    char *const *flags;
    size_t flag_count;
};

/* Find headers for the functions of `use`; if it lists none, for all functions that the
 * headers declare and the library defines. A header that does not compile alone is tried
 * after headers of the C library. Functions of BLAS and LAPACK that have no header are
 * found in the built-in header.
 *
 *   headers  out  to be freed with mm_headers_done, also after a failure
 *
 * Returns 0, or a negative errno with `err`. */
int mm_headers_find(struct mm_headers *headers, const struct mm_use *use,
                    const struct mm_package *package,
                    const struct mm_header_reader *reader, struct cca_error *err);
void mm_headers_done(struct mm_headers *headers);

#endif
