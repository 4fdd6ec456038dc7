/* SPDX-License-Identifier: BSD-3-Clause */
/* types.h: the types of a header for expressions, looked at in clang's view of it when an
 * expression gets there. */
#ifndef PROXYGEN_TYPES_H
#define PROXYGEN_TYPES_H

#include "tools/proxygen/read/reader.h"

/* Let `port` ask about the header that `reader` has parsed: port->lookup. Takes over
 * `index` and reader->unit (which may be NULL), in any case; they end with the port,
 * which reader->options outlive. 0 or the reader's new status. */
int pg_types_attach(struct pg_reader *reader, CXIndex index, struct pg_port *port);

/* The same for a further port of the header that `from` was attached to, which is freed
 * after it. */
int pg_types_share(struct pg_reader *reader, const struct pg_port *from,
                   struct pg_port *port);

/* What errors are reported with, and asked of clang, about the header of an attached
 * port. */
void pg_types_reader(const struct pg_port *port, struct pg_reader *reader);

/* The type for expressions over things of `type`, borrowed from `port`, which has been
 * attached; an array argument is a pointer that knows its length. NULL: out of memory. */
struct pg_type *pg_types_of(struct pg_port *port, CXType type);
struct pg_type *pg_types_of_argument(struct pg_port *port, CXType type);

#endif
