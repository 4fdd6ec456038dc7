/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h: run another program and take what it prints. */
#ifndef MASTERMIND_LIBRARY_TOOL_H
#define MASTERMIND_LIBRARY_TOOL_H

#include <stddef.h>

/* Run argv[0], found on the PATH, without standard input, and wait for it.
 *
 *   argv    in   ends with NULL
 *   errors  in   also take what it prints on standard error; else that is thrown away
 *   text    out  what it printed, ends with 0, new; NULL where it could not be run
 *   length  out  its bytes; may be NULL
 *
 * The exit status; 128 + n where signal n ended it; a negative errno. */
int mm_tool_run(char *const argv[], int errors, char **text, size_t *length);

#endif
