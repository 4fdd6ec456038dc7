/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h: write a file completely or not at all. */
#ifndef PROXYGEN_OUTPUT_H
#define PROXYGEN_OUTPUT_H

#include <stddef.h>

#include "ports/cca_error.h"

/* Write `name` (no slash) in `directory`, which is created if it does not exist. A new
 * file is renamed to `name` when it is complete. A link of that name is replaced, not
 * followed. Returns 0 or a negative errno with `err`; on an error no file is left. */
int pg_output_write(const char *directory, const char *name, const char *text,
                    size_t size, struct cca_error *err);

#endif
