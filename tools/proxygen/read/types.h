/* SPDX-License-Identifier: BSD-3-Clause */
/* types.h: types of a header, read from clang when an expression needs them. */
#ifndef PROXYGEN_TYPES_H
#define PROXYGEN_TYPES_H

#include "tools/proxygen/read/reader.h"

/* Make port->lookup read from the parsed header of `reader`. The port takes ownership of
 * `index` and reader->unit (which may be NULL), also on failure; both are freed with it.
 * reader->options must outlive the port. Returns 0 or the reader's new status. */
int pg_types_attach(struct pg_reader *reader, CXIndex index, struct pg_port *port);

/* Like pg_types_attach, but for another port of the same header as `from`. It must be
 * freed before `from`. */
int pg_types_share(struct pg_reader *reader, const struct pg_port *from,
                   struct pg_port *port);

/* Fill `reader` so that it can report errors in, and read from, the header of an attached
 * port. */
void pg_types_reader(const struct pg_port *port, struct pg_reader *reader);

/* Return the type that expressions use for objects of clang's type `type`, borrowed from
 * `port`, which must be attached. An array argument becomes a pointer with a known
 * length. NULL: out of memory. */
struct pg_type *pg_types_of(struct pg_port *port, CXType type);
struct pg_type *pg_types_of_argument(struct pg_port *port, CXType type);

#endif
