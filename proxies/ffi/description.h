/* SPDX-License-Identifier: BSD-3-Clause */
/* description.h: read the describe document of a port type. */
#ifndef PROXIES_FFI_DESCRIPTION_H
#define PROXIES_FFI_DESCRIPTION_H

#include "tools/proxygen/perf/model.h"

/* Read the description of a port from a file. Returns it, new; NULL with `err`: the file
 * is unreadable, or memory is lacking. */
struct pg_port *fproxy_description_read(const char *path, struct cca_error *err);

#endif
