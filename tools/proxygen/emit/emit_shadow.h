/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_shadow.h: write the code of shadow calls (proxies/proxy_shadow.h). */
#ifndef PROXYGEN_EMIT_EMIT_SHADOW_H
#define PROXYGEN_EMIT_EMIT_SHADOW_H

#include "tools/proxygen/emit/emit.h"

/* Return the name of an argument that cannot be copied, as its array has no size, or "the
 * result"; NULL: calls of the method can be shadowed. */
const char *pg_shadow_lacks(const struct pg_method *method);
/* Write the declaration of pg_args, pointers to the arguments `names`. */
void pg_shadow_args(FILE *out, const struct pg_method *method, char **names);
/* Write proxy_shadowed, the array of the measured methods of a port. Returns 0 or
 * -ENOMEM. */
int pg_emit_shadow(FILE *out, const struct pg_port *port);

#endif
