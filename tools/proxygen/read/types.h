/* SPDX-License-Identifier: BSD-3-Clause */
/* types.h: types of a header, read from clang when an expression needs them. */
#ifndef PROXYGEN_TYPES_H
#define PROXYGEN_TYPES_H

#include "tools/proxygen/read/reader.h"

/* Set port->lookup to the parsed header of `reader`. Takes ownership of `index` and
 * reader->unit (which may be NULL), also on failure; both are freed with the port.
 * reader->options must outlive the port. Returns 0 or the reader's new status. */
int pg_types_attach(struct pg_reader *reader, CXIndex index, struct pg_port *port);

/* Like pg_types_attach, for a further port of the same header as `from`. Free it before
 * `from`. */
int pg_types_share(struct pg_reader *reader, const struct pg_port *from,
                   struct pg_port *port);

/* Fill `reader` for error messages and requests about the header of an attached port. */
void pg_types_reader(const struct pg_port *port, struct pg_reader *reader);

/* The type for expressions on objects of `type`, borrowed from `port`, which must be
 * attached; an array argument becomes a pointer with a known length. NULL: out of
 * memory. */
struct pg_type *pg_types_of(struct pg_port *port, CXType type);
struct pg_type *pg_types_of_argument(struct pg_port *port, CXType type);

#endif
