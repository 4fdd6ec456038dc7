/* SPDX-License-Identifier: BSD-3-Clause */
/* co_driver.c: call `work` with sizes from 16 to `largest`, `repeats` times over. */
#include <errno.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/components/known/co_work_port.h"

struct driver {
    struct go_port go;
    struct cca_services *services;
};

static int driver_go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, go);
    int64_t largest = cca_services_param_long(d->services, "largest");
    int64_t repeats = cca_services_param_long(d->services, "repeats");
    struct co_work_port *work = cca_services_get(d->services, "work", NULL);

    if (!work)
        return -ENOTCONN;
    for (int64_t r = 0; r < repeats; r++)
        for (int64_t n = 16; n <= largest; n *= 2)
            work->work(work, (int)n);
    cca_services_release_port(d->services, "work", NULL);
    return 0;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, driver_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services),
    .name = "CoDriver",
    CCA_IMPLEMENTS({"go", offsetof(struct driver, go), &port.base}),
    CCA_USES(CCA_REQUIRED("work", CO_WORK_PORT_TYPE, struct co_work_port)),
    CCA_PARAMS({.name = "largest", .type = CCA_LONG, .value = "1024", .low = "16"},
               {.name = "repeats", .type = CCA_LONG, .value = "100", .low = "1"}),
};
