/* SPDX-License-Identifier: BSD-3-Clause */
/* repository_core.h: shared by the files of the repository.
 *
 *     folders (each read once) ──path order, first of equal names──▶ classes by name
 *
 * Folders and their descriptors are kept for the life of the repository, so that borrowed
 * pointers stay valid when the path changes. */
#ifndef FRAMEWORK_CLASSES_REPOSITORY_CORE_H
#define FRAMEWORK_CLASSES_REPOSITORY_CORE_H

#include "framework/repository.h"
#include "framework/base/base.h"

/* A class of a folder, and its loaded library. */
struct cca_folder_entry {
    struct cca_class_info *info;
    const struct cca_class *live; /* the descriptor in the loaded library, which has
                                     member `size` bytes; NULL: the class is not loaded */
    struct cca_class cls; /* if loaded: a complete copy of `live`; `provides` includes the
                           * ports of `implements` */
    struct cca_span span; /* address range of the loaded library */
    int global;
    int rehearsed; /* 1: loading the library was rehearsed; 2: it was rehearsed with
                      global symbols; 0: neither */
};

/* A file that looked like a library and was refused. */
struct cca_folder_refusal {
    char *file;
    char *reason;
};

struct cca_folder {
    char *path; /* real path */
    struct cca_folder_entry *entries;
    size_t entry_count;
    struct cca_folder_refusal *refusals;
    size_t refusal_count;
};

/* Read the descriptors of all libraries in the directory `path`, in order of file name.
 * `strict`: refuse libraries that other users could have written; the caller has checked
 * `path` itself. Returns a new folder, or NULL with `err`. */
struct cca_folder *cca_folder_read(const char *path, int strict, struct cca_error *err);
void cca_folder_free(struct cca_folder *folder);

struct cca_repository {
    struct cca_folder **folders; /* all folders that have ever been on the path */
    size_t folder_count;
    struct cca_folder **path;
    size_t path_count;
    struct cca_folder *fallback;       /* folder that remains last in `path`, or NULL */
    struct cca_folder_entry **classes; /* sorted by name */
    size_t class_count;
    struct cca_linkage *linkage; /* or NULL */
    int strict;             /* true: only trusted folders and libraries are accepted */
    cca_repository_ask ask; /* or NULL */
    void *ask_context;
};

#endif
