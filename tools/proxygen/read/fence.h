/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.h: what a header defines as macros changes nothing in the code that includes it.
 */
#ifndef PROXYGEN_FENCE_H
#define PROXYGEN_FENCE_H

#include "tools/proxygen/perf/model.h"

/* Code that includes `include` below what it needs itself: macros of the header that are
 * words of the code end behind that line, and are again what they were before it.
 * `*text`, of `*size`, is replaced by a new one. 0; -EINVAL with `err` where the header
 * defines what is the compiler's own; -ENOMEM. */
int pg_fence_code(const struct pg_port *port, const char *include, char **text,
                  size_t *size, struct cca_error *err);

/* The same of a header that includes `include` and is itself for users of it: they have
 * its macros, but what follows the line is not changed by them. */
int pg_fence_header(const struct pg_port *port, const char *include, char **text,
                    size_t *size, struct cca_error *err);

#endif
