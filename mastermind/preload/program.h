/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h: which functions the program's own file has. */
#ifndef MASTERMIND_PRELOAD_PROGRAM_H
#define MASTERMIND_PRELOAD_PROGRAM_H

/* Call `visit` with each function that the file of the program defines for others of its
 * objects to call: also those of libraries that it is linked with statically. 0; -ENOENT:
 * its symbols were stripped, or it cannot be read. */
int mm_program_functions(void (*visit)(void *context, const char *name), void *context);

#endif
