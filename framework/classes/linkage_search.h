/* SPDX-License-Identifier: BSD-3-Clause */
/* linkage_search.h: where the dynamic linker finds a library that another one needs. */
#ifndef FRAMEWORK_CLASSES_LINKAGE_SEARCH_H
#define FRAMEWORK_CLASSES_LINKAGE_SEARCH_H

#include "framework/classes/elf_needs.h"

/* A library that is loaded, or would be. */
struct cca_library {
    char *file, *asked;                  /* its path; the name that led to it, or NULL */
    const struct cca_library *needed_by; /* or NULL; that one was there before it */
    struct cca_elf_file elf;
    struct cca_elf_needs needs;
    int resident; /* this process has loaded it */
    int global;   /* its symbols are there for all libraries that come later */
    int checked;  /* it misses nothing */
};

/* Read the library `file`: new, or NULL with `err`. */
CCA_API struct cca_library *cca_library_open(const char *file,
                                             const struct cca_library *needed_by,
                                             struct cca_error *err);
/* Likewise, for a program, by which nothing is needed. */
CCA_API struct cca_library *cca_library_open_program(const char *file,
                                                     struct cca_error *err);
CCA_API void cca_library_free(struct cca_library *library);
/* Does the dynamic linker take it for `name`? */
CCA_API int cca_library_is_named(const struct cca_library *library, const char *name);
/* Find the library `name` that `user` needs; NULL: that the program asks for.
 *
 *   found  out  new, or NULL
 *
 * 0; -ENOENT: it is nowhere; -ENOTSUP: it may be in a directory whose name only the
 * dynamic linker knows; others, with `err`: it cannot be read. */
CCA_API int cca_library_find(const struct cca_library *user, const char *name,
                             struct cca_library **found, struct cca_error *err);

#endif
