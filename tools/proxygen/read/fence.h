/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.h: macros of a header do not change the generated code that includes it. */
#ifndef PROXYGEN_FENCE_H
#define PROXYGEN_FENCE_H

#include "tools/proxygen/perf/model.h"

/* Fence the #include of `include` in generated code: macros of the header that are words
 * of the code are undefined behind that line and get their old definitions back.
 * `*text`, of `*size` bytes, is replaced by a new text. 0; -EINVAL with `err` if the
 * header redefines a macro of the compiler; -ENOMEM. */
int pg_fence_code(const struct pg_port *port, const char *include, char **text,
                  size_t *size, struct cca_error *err);

/* Like pg_fence_code, for a generated header that includes `include`: its users see the
 * macros, but the rest of the generated header does not. */
int pg_fence_header(const struct pg_port *port, const char *include, char **text,
                    size_t *size, struct cca_error *err);

#endif
