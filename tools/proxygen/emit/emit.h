/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.h: from the model of a port to the C of its proxy. */
#ifndef PROXYGEN_EMIT_H
#define PROXYGEN_EMIT_H

#include <stdio.h>

#include "tools/proxygen/perf/model.h"

#define PG_VERSION "0.1"

/* Write the proxy component of `port`. `include` is the header as the code includes it.
 * 0 or -ENOMEM; whether `out` took everything is for the caller to see. */
int pg_emit_proxy(FILE *out, const struct pg_port *port, const char *include);

/* Write the header `base` that states the prototypes of the ports of `include`: for each
 * a macro <PORT>_SIGNATURE, an element of cca_class.signatures. 0 or -ENOMEM. */
int pg_emit_signatures(FILE *out, struct pg_port *const *ports, size_t count,
                       const char *include, const char *base);

#endif
