/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.h: libclang is not made for hostile headers; what reads them is a child with
 * limits. */
#ifndef PROXYGEN_GUARD_H
#define PROXYGEN_GUARD_H

#include "tools/proxygen/command.h"

/* Seconds of computing and of waiting for clang, and for the compiler of an interposition
 * library; the environment may say others: PROXYGEN_CPU_S, PROXYGEN_WALL_S,
 * PROXYGEN_COMPILE_S. */
enum {
    PG_GUARD_CPU_S = 20,
    PG_GUARD_WALL_S = 60,
    PG_GUARD_COMPILE_S = 600,
    PG_GUARD_MEMORY_GIB = 4
};

/* The exit status of `work` in a child that may use so much until pg_guard_lift;
 * BAD_INPUT, after a line about the header, where it was ended by a signal. A signal to
 * end that comes to the caller ends the child and what that has started, too. What they
 * were writing is gone then. */
int pg_guard_run(int (*work)(const struct command *command),
                 const struct command *command);

/* In the child: the header has been read. Returns how many seconds a compiler may take.
 */
int pg_guard_lift(void);

#endif
