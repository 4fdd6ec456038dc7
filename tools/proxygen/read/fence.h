/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.h: keep macros of a header from changing the generated code that includes it. */
#ifndef PROXYGEN_FENCE_H
#define PROXYGEN_FENCE_H

#include "tools/proxygen/perf/model.h"

/* Fence the #include of `include` in generated code: macros of the header whose names are
 * words of the code get back the definition, or none, that they had before that line.
 * `*text`, of `*size` bytes, is replaced by a new text. Returns 0; -EINVAL with `err` if
 * the header redefines a macro of the compiler; -ENOMEM. */
int pg_fence_code(const struct pg_port *port, const char *include, char **text,
                  size_t *size, struct cca_error *err);

/* Like pg_fence_code, for a generated header that includes `include`: the macros are
 * defined again at its end, for its users. */
int pg_fence_header(const struct pg_port *port, const char *include, char **text,
                    size_t *size, struct cca_error *err);

#endif
