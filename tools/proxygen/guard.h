/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.h: libclang is not made for hostile headers; what reads them is a child with limits. */
#ifndef PROXYGEN_GUARD_H
#define PROXYGEN_GUARD_H

#include "tools/proxygen/command.h"

enum { PG_GUARD_CPU_S = 20, PG_GUARD_WALL_S = 60, PG_GUARD_MEMORY_GIB = 4 };

/* The exit status of `work` in a child that may use so much until pg_guard_lift; BAD_INPUT, after a
 * line about the header, where it was ended by a signal. */
int pg_guard_run(int (*work)(const struct command *command), const struct command *command);

/* In the child: the header has been read. */
void pg_guard_lift(void);

#endif
