/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_types.h: the types that expressions read, in a describe document. */
#ifndef PROXYGEN_PERF_DESCRIBE_TYPES_H
#define PROXYGEN_PERF_DESCRIBE_TYPES_H

#include <jansson.h>

#include "tools/proxygen/perf/model.h"

/* The types, with their fields, that the expressions of a port read. */
struct pg_used {
    size_t *places; /* places[number]: 1 + the type's index in the document; 0: not
                     * needed */
    unsigned char **fields;
    size_t count; /* number of types in the document */
    const struct pg_port *port;
};

/* Find the types that the expressions of a port read. Returns 0 or -ENOMEM. Call
 * pg_used_done also after a failure. */
int pg_used_init(struct pg_used *used, const struct pg_port *port);
void pg_used_done(struct pg_used *used);

/* The array "types", new; NULL: out of memory. */
json_t *pg_used_write(const struct pg_used *used);
/* The index of a type in the document; -1: not in it. */
json_int_t pg_used_place(const struct pg_used *used, const struct pg_type *type);

/* Read the array into port->types, which must be empty. Returns 0; -EINVAL with the
 * expected text in `wrong`; -ENOMEM. */
int pg_used_read(const json_t *types, struct pg_port *port, const char **wrong);

/* Write a scalar as JSON, new; read it back: returns 0 or -EINVAL. */
json_t *pg_scalar_write(const struct pg_scalar *scalar);
int pg_scalar_read(const json_t *json, struct pg_scalar *scalar);

#endif
