/* SPDX-License-Identifier: BSD-3-Clause */
/* linkage_search.h: find a needed library as the dynamic linker does. */
#ifndef FRAMEWORK_CLASSES_LINKAGE_SEARCH_H
#define FRAMEWORK_CLASSES_LINKAGE_SEARCH_H

#include "framework/classes/parts.h"

/* A library that is loaded, or that would be loaded. */
struct cca_library {
    char *file, *asked; /* file: path of the library; asked: the name by which it was
                           needed, or NULL */
    /* library that needs this one and exists longer; or NULL */
    const struct cca_library *needed_by;
    struct cca_elf_file elf;
    struct cca_elf_needs needs;
    int resident; /* true if this process has loaded the library */
    int global;   /* true if the library's symbols are visible to all later libraries */
    int checked;  /* true if all libraries that this one needs were found */
};

/* Read the library `file`: new, or NULL with `err`. */
CCA_API struct cca_library *cca_library_open(const char *file,
                                             const struct cca_library *needed_by,
                                             struct cca_error *err);
/* Like cca_library_open, for a program. */
CCA_API struct cca_library *cca_library_open_program(const char *file,
                                                     struct cca_error *err);
CCA_API void cca_library_free(struct cca_library *library);
/* True if the dynamic linker would use this library for `name`. */
CCA_API int cca_library_is_named(const struct cca_library *library, const char *name);
/* Find the library `name` that `user` (NULL: the program) needs.
 *
 *   found  out  new, or NULL
 *
 * Returns 0; -ENOENT: not found; -ENOTSUP: it may be in a directory whose name has a
 * variable of the dynamic linker; others, with `err`: unreadable. */
CCA_API int cca_library_find(const struct cca_library *user, const char *name,
                             struct cca_library **found, struct cca_error *err);

#endif
