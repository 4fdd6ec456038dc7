/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.h: write the C code of a proxy from the model of a port. */
#ifndef PROXYGEN_EMIT_H
#define PROXYGEN_EMIT_H

#include <stdio.h>

#include "tools/proxygen/perf/model.h"

#define PG_VERSION "0.1"

/* Write the proxy component of `port`. `include` is the header's name in the #include.
 * Returns 0 or -ENOMEM; the caller checks `out` for write errors. */
int pg_emit_proxy(FILE *out, const struct pg_port *port, const char *include);

/* Write the header `base` with the prototypes of the ports of header `include`: for each
 * port a macro <PORT>_SIGNATURE, an element of cca_class.signatures. Returns 0 or
 * -ENOMEM. */
int pg_emit_signatures(FILE *out, struct pg_port *const *ports, size_t count,
                       const char *include, const char *base);

#endif
