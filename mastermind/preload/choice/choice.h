/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h: a setting of a library is chosen in each call of its recorded functions, by
 * rules (docs/guide/dispatch.md) or, to measure the candidates, at random.
 *
 * A library that has a choice reports its calls to a monitor port of the choice, which
 * changes the setting and passes the call on to the recorder, as a call of the class
 * LIBRARY:SETTING. So its interposition library need not be made for that.
 *
 *     wrapper ──begin──▶ choice: cell of the in-values ─▶ set threads ──begin──▶ recorder
 *     wrapper ───end───▶ recorder's end, then the setting as it was before
 */
#ifndef MASTERMIND_PRELOAD_CHOICE_CHOICE_H
#define MASTERMIND_PRELOAD_CHOICE_CHOICE_H

#include "ports/monitor_port.h"

struct interpose_library;
struct interpose_function;

/* Read the files of rules and the candidates that the environment names
 * (MASTERMIND_RECORD_DISPATCH, MASTERMIND_RECORD_TRY). */
struct mm_choice_calls {
    void (*print)(const char *line); /* prints a line about a mistake */
    /* Find a symbol in the library `file` and the libraries that it is linked with. */
    void *(*find)(const char *file, const char *symbol);
    /* Open the method at the recorder for calls with a candidate; "": with none. Returns
     * NULL with `err`. */
    struct monitor_method *(*open)(const struct interpose_library *library,
                                   const struct interpose_function *function,
                                   const char *candidate, struct cca_error *err);
};
void mm_choice_begin(const struct mm_choice_calls *calls);

/* The library of a function: its soname, its path as the dynamic linker lists it, and
 * the type of its port, "cblas.h/1". */
struct mm_choice_object {
    const char *name, *file, *port_type;
};

/* Let the calls of a function be chosen, if there are rules or candidates for its
 * library: then all its functions have such calls.
 *
 *   object  in     borrowed for the call
 *   port    inout  the recorder's, NULL: nothing is recorded; then the port to which the
 *                  library's calls go
 *
 * Returns the method for the function; NULL: calls of the library are not chosen, or with
 * `err`. */
struct monitor_method *mm_choice_open(struct interpose_library *library,
                                      const struct interpose_function *function,
                                      const struct mm_choice_object *object,
                                      struct monitor_port **port, struct cca_error *err);

/* Print a line about each file of rules, and about candidates, that no call was chosen
 * by. */
void mm_choice_end(void);

#endif
