/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.h: get a port that must be connected, for methods whose only words are those of
 * cca_services_fail. The pattern is that of components/gas.h: get, call, release in one
 * method. */
#ifndef COMPONENTS_USES_H
#define COMPONENTS_USES_H

#include <errno.h>

#include "framework/cca.h"

/* The port at uses port `name`, to be released; or NULL with words left in the services:
 * return -ENOTCONN then. */
static inline void *uses_get(struct cca_services *services, const char *name,
                             const char *type, size_t size)
{
    struct cca_error err = {0};
    void *port = cca_services_get_port(services, name, type, size, &err);

    if (!port)
        cca_services_fail(services, -ENOTCONN, "%s", err.text);
    return port;
}

static inline void uses_release(struct cca_services *services, const char *name)
{
    cca_services_release_port(services, name, NULL);
}

#endif
