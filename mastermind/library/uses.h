/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.h: find the libraries that a program uses, and which of their functions, by
 * reading files as the dynamic linker would; nothing is run. */
#ifndef MASTERMIND_LIBRARY_USES_H
#define MASTERMIND_LIBRARY_USES_H

#include <stddef.h>

#include "ports/cca_error.h"

/* A library that a program uses. The struct owns all its strings. */
struct mm_use {
    char *soname; /* "libz.so.1" */
    char *stem;   /* "z": the name after -l */
    char *file;   /* path of the file, without symbolic links */
    char *build_id;
    int direct; /* true if the program itself calls functions of the library */
    int linked; /* true if the program or one of its libraries needs it; false: added by
                   mm_uses_add */
    /* true if a library of the C library or of a compiler, which patterns do not match */
    int system;
    char **functions; /* [function_count], ascending: functions that the program or other
                         libraries import from it */
    size_t function_count;
    struct cca_library *elf; /* private: the file */
};

struct mm_uses {
    char *program; /* path of the program's file; for a script, path of its interpreter */
    struct mm_use *list;
    size_t count;
    char **missing; /* [missing_count] needed libraries that were not found */
    size_t missing_count;
    struct cca_library *elf; /* private */
};

/* Read the libraries of the program `file`; for a script, of the interpreter in its first
 * line.
 *
 *   file  in   a path
 *   uses  out  to be freed with mm_uses_done, also after a failure
 *
 * Returns 0, or a negative errno with `err`: -ENOEXEC: no program for this machine;
 * -ENOENT; -EBADMSG: damaged; -ENOMEM. */
int mm_uses_read(struct mm_uses *uses, const char *file, struct cca_error *err);
/* Like mm_uses_read, without the functions that are used, `functions` and `direct`. */
int mm_uses_find(struct mm_uses *uses, const char *file, struct cca_error *err);
void mm_uses_done(struct mm_uses *uses);

/* Add a library that is not linked, by its stem ("z") or soname, because a program may
 * open it at run time. Returns the entry, borrowed; NULL: there is no such library, or,
 * with `err` set, out of memory. */
struct mm_use *mm_uses_add(struct mm_uses *uses, const char *name, struct cca_error *err);

/* True if the library exports a function of this name. */
int mm_use_defines(const struct mm_use *use, const char *function);

/* True if `word`, a shell pattern, matches the library's stem or soname. A pattern with a
 * wildcard does not match system libraries. */
int mm_use_is_named(const struct mm_use *use, const char *word);

#endif
