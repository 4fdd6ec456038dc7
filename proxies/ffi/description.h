/* SPDX-License-Identifier: BSD-3-Clause */
/* description.h: finding the describe document of a port type. */
#ifndef PROXIES_FFI_DESCRIPTION_H
#define PROXIES_FFI_DESCRIPTION_H

#include "framework/cca.h"
#include "tools/proxygen/perf/model.h"

/* The port that the first file *.describe.json on the component path describes, in path order and
 * by name in a directory, whose type is `type`; new. NULL with `err`: -ENOENT there is none;
 * -ENOTSUP there is none, but a document that cannot be read, which it may be; -ENOMEM. */
struct pg_port *fproxy_description_find(struct cca_services *services, const char *type,
                                        struct cca_error *err);

#endif
