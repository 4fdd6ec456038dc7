/* SPDX-License-Identifier: BSD-3-Clause */
/* description.h: read the describe document of a port type. */
#ifndef PROXIES_FFI_DESCRIPTION_H
#define PROXIES_FFI_DESCRIPTION_H

#include "tools/proxygen/perf/model.h"

/* The port described by the file, new; NULL with `err`: unreadable, or -ENOMEM. */
struct pg_port *fproxy_description_read(const char *path, struct cca_error *err);

#endif
