/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.h: read the header in a child process with limits, because libclang may crash or
 * run forever on a hostile header. */
#ifndef PROXYGEN_GUARD_H
#define PROXYGEN_GUARD_H

#include "tools/proxygen/command.h"

/* Default limits: CPU seconds and elapsed seconds for clang, seconds for the compiler of
 * an interposition library, memory in GiB. The environment may change the seconds:
 * PROXYGEN_CPU_S, PROXYGEN_WALL_S, PROXYGEN_COMPILE_S. */
enum {
    PG_GUARD_CPU_S = 20,
    PG_GUARD_WALL_S = 60,
    PG_GUARD_COMPILE_S = 600,
    PG_GUARD_MEMORY_GIB = 4
};

/* Run `work` in a child process with these limits. Returns the child's exit status, or
 * BAD_INPUT, after a message, if a signal ended the child. A signal that ends the caller
 * also ends the child and the programs that the child started, and removes the files that
 * they were writing. */
int pg_guard_run(int (*work)(const struct command *command),
                 const struct command *command);

/* Called in the child when the header has been read: lift the limits for clang. Returns
 * the number of seconds that a compiler may take. */
int pg_guard_lift(void);

#endif
