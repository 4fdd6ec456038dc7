/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h: list functions that the program's own file defines. */
#ifndef MASTERMIND_PRELOAD_PROGRAM_H
#define MASTERMIND_PRELOAD_PROGRAM_H

/* Call `visit` with each function that the program's file exports to loaded objects,
 * including functions of statically linked libraries. Returns 0; -ENOENT: the symbols
 * were stripped, or the file cannot be read. */
int mm_program_functions(void (*visit)(void *context, const char *name), void *context);

#endif
