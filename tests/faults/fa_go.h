/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_go.h: the driver of fault components. Its go gets the chain's flux port, calls the
 * component's fa_run and gives the port back. A component's struct begins with `own`. */
#ifndef TESTS_FAULTS_FA_GO_H
#define TESTS_FAULTS_FA_GO_H

#include <errno.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/faults/fa_act.h"

struct fa_go {
    struct go_port go;
    struct cca_services *services;
    struct flux_port *flux; /* while fa_run runs */
    struct fa_act act;
};

/* What the component does. Returns what go shall return. */
static int fa_run(struct fa_go *own);

static int fa_go(struct go_port *self)
{
    struct fa_go *own = cca_container_of(self, struct fa_go, go);
    int status;

    own->flux = cca_services_get(own->services, "flux", NULL);
    if (!own->flux)
        return -ENOTCONN;
    status = fa_run(own);
    cca_services_release_port(own->services, "flux", NULL);
    return status;
}

static inline int fa_int(const struct fa_go *own, const char *name)
{
    return (int)cca_services_param_long(own->services, name);
}

static const struct go_port fa_go_port = {{GO_PORT_TYPE, sizeof fa_go_port}, fa_go};

/* The descriptor; its parameters and more follow the name. */
#define FA_CLASS(component, class_name, ...)                                             \
    CCA_EXPORT const struct cca_class cca_class = {                                      \
        CCA_CLASS(struct component, own.services), .name = class_name,                   \
        CCA_IMPLEMENTS({"go", offsetof(struct component, own.go), &fa_go_port.base}),    \
        CCA_USES({.name = "flux",                                                        \
                  .type = FLUX_PORT_TYPE,                                                \
                  .size = sizeof(struct flux_port),                                      \
                  .min_connections = 1}),                                                \
        __VA_ARGS__}

#endif
