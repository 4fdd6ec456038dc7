/* SPDX-License-Identifier: BSD-3-Clause */
/* me_sde.c: a flux port over a library that publishes its own counts through PAPI's
 * libsde, and not through ours: sde:::foreign::cells counts the cells of all calls. */
#include <dlfcn.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/flux_port.h"

/* The values of sde_lib.h. */
enum { SDE_READ_ONLY = 0, SDE_INSTANT = 0x10, SDE_LONG_LONG = 0 };
typedef void *(*sde_init)(const char *library);
typedef int (*sde_register)(void *handle, const char *event, int mode, int type,
                            void *counter);

static long long cells; /* libsde keeps its address */

struct foreign {
    struct flux_port flux;
};

static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    (void)self, (void)axis, (void)left, (void)right, (void)flux, (void)patch,
        (void)active;
    if (iterations)
        *iterations = (int64_t)nx * ny;
    cells += (long long)nx * ny;
    return 0;
}

/* Without the library there are no readers. */
static void publish(void)
{
    void *library = dlopen("libsde.so.1", RTLD_NOW | RTLD_LOCAL),
         *symbols[2] = {NULL, NULL};
    sde_init init;
    sde_register add;

    if (library) {
        symbols[0] = dlsym(library, "papi_sde_init");
        symbols[1] = dlsym(library, "papi_sde_register_counter");
    }
    memcpy(&init, &symbols[0], sizeof init);
    memcpy(&add, &symbols[1], sizeof add);
    if (init && add)
        add(init("foreign"), "cells", SDE_READ_ONLY | SDE_INSTANT, SDE_LONG_LONG, &cells);
}

static const struct flux_port port = {{FLUX_PORT_TYPE, sizeof port}, compute};

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self;
    (void)services;
    (void)err;
    publish();
    return 0;
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct foreign),
    .name = "ForeignCounts",
    .summary = "publishes software-defined events of its own",
    CCA_IMPLEMENTS({"flux", offsetof(struct foreign, flux), &port.base}),
    .set_services = set_services,
};
