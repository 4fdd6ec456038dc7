/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.h: the libraries that a program uses, and which of their functions, read from
 * files as the dynamic linker would; nothing is run. */
#ifndef MASTERMIND_LIBRARY_USES_H
#define MASTERMIND_LIBRARY_USES_H

#include <stddef.h>

#include "ports/cca_error.h"

/* A library. All strings are its own. */
struct mm_use {
    char *soname; /* "libz.so.1" */
    char *stem;   /* "z": what stands behind -l */
    char *file;   /* its real path */
    char *build_id;
    int direct; /* the program itself calls it */
    int linked; /* the program or a library of it needs it; else it was asked for by name
                 */
    int system; /* of the C library or of a compiler: no pattern takes it */
    char **functions; /* [function_count], ascending: those that others import from it */
    size_t function_count;
    struct cca_library *elf; /* inside: symbols of the file */
};

struct mm_uses {
    char *program; /* its file; of a script, that of its interpreter */
    struct mm_use *list;
    size_t count;
    char **missing; /* [missing_count] libraries that are needed and nowhere */
    size_t missing_count;
    struct cca_library *elf; /* inside */
};

/* Read what the program `file` uses; a script's first line tells its interpreter.
 *
 *   file  in   a path
 *   uses  out  done with mm_uses_done, also after a failure
 *
 * 0, or a negative errno with `err`: -ENOEXEC no program of this machine; -ENOENT;
 * -EBADMSG damaged; -ENOMEM. */
int mm_uses_read(struct mm_uses *uses, const char *file, struct cca_error *err);
void mm_uses_done(struct mm_uses *uses);

/* Add a library that is not linked, by its stem ("z") or soname: a program may open it as
 * it runs. Borrowed, or NULL: there is none, or with `err` set, out of memory. */
struct mm_use *mm_uses_add(struct mm_uses *uses, const char *name, struct cca_error *err);

/* True where the library has a function of this name for others. */
int mm_use_defines(const struct mm_use *use, const char *function);

/* True where `word`, a shell pattern, names the library by stem or soname. A pattern with
 * a wildcard does not name those of the system. */
int mm_use_is_named(const struct mm_use *use, const char *word);

#endif
