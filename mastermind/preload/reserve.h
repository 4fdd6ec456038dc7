/* SPDX-License-Identifier: BSD-3-Clause */
/* reserve.h: the methods that record functions: their names, and methods of patched
 * functions, which are made before the program's main and get an id at the first call. */
#ifndef MASTERMIND_PRELOAD_RESERVE_H
#define MASTERMIND_PRELOAD_RESERVE_H

#include "mastermind/preload/object.h"
#include "mastermind/preload/own.h"
#include "mastermind/writer/session/session.h"

/* Parts of the name of the method that records a function. */
struct mm_names {
    char port_type[220], instance[256];
    struct mm_object object;
};

void mm_names_find(const struct interpose_library *library,
                   const struct interpose_function *function, struct mm_names *names);
/* Name a candidate for the library's setting: class libblas.so.3:threads=1, instance
 * libblas_threads=1. */
void mm_names_candidate(struct mm_names *names, const char *candidate);
/* Return the declaration of the function's method; it borrows from all arguments. */
struct monitor_method_decl mm_names_decl(const struct interpose_library *library,
                                         const struct interpose_function *function,
                                         const struct mm_names *names);

/* Make methods for functions of one object (program or library), and a file that lists
 * methods at their first call, with room for the functions of all tables. The experiment
 * has begun. Returns 0 or a negative errno. */
int mm_reserve_functions(struct mm_session *session, struct mm_own *const *functions,
                         size_t count, struct cca_error *err);
/* Assign an id to the method of a function, at its first call; `recorder` NULL: the
 * function is not recorded. Allocates nothing; one caller at a time. */
void mm_reserve_admit(struct mm_recorder *recorder, struct mm_own *own);
/* At the end: report how many functions were called but got no id; write methods.json
 * with the methods that did, and remove the file that listed them; remove it alone. */
void mm_reserve_report(void (*print)(void *context, const char *line), void *context);
void mm_reserve_write(struct mm_session *session, struct cca_error *err);
void mm_reserve_remove(void);

#endif
