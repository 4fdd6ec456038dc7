/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h: a file that is there whole or not at all. */
#ifndef PROXYGEN_OUTPUT_H
#define PROXYGEN_OUTPUT_H

#include <stddef.h>

#include "ports/cca_error.h"

/* Write `name` (no slash) in `directory`, which is made if it is absent, in one step: a
 * new file takes the name when it is complete. A link of that name is replaced, not
 * followed. 0 or a negative errno with `err`; nothing is left behind then. */
int pg_output_write(const char *directory, const char *name, const char *text,
                    size_t size, struct cca_error *err);

#endif
