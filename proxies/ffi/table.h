/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: the method table that a generated proxy contains, made from the description of
 * a port (struct pg_port). */
#ifndef PROXIES_FFI_TABLE_H
#define PROXIES_FFI_TABLE_H

#include "proxies/ffi/pool.h"
#include "proxies/proxy_table.h"
#include "tools/proxygen/perf/model.h"

/* Make the table; it lives as long as pool and port. The arguments of methods are not
 * listed. Returns NULL: out of memory. */
const struct proxy_table *fproxy_table_make(struct fproxy_pool *pool,
                                            const struct pg_port *port);

#endif
