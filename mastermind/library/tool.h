/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h: run another program and read its output. */
#ifndef MASTERMIND_LIBRARY_TOOL_H
#define MASTERMIND_LIBRARY_TOOL_H

#include <stddef.h>

/* Run argv[0], found on the PATH, without standard input, and wait for it.
 *
 *   argv    in   ends with NULL
 *   errors  in   1: read standard error, too; 0: discard it
 *   text    out  its output with a NUL at the end, new; NULL if it could not be run
 *   length  out  number of bytes; may be NULL
 *
 * Returns the exit status; 128 + n if signal n ended it; or a negative errno. */
int mm_tool_run(char *const argv[], int errors, char **text, size_t *length);

#endif
