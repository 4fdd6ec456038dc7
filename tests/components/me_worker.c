/* SPDX-License-Identifier: BSD-3-Clause */
/* me_worker.c: a flux port that calls the next one, ny calls deep, and may die on the
 * way. */
#include <signal.h>

#include "framework/cca.h"
#include "ports/flux_port.h"

struct worker {
    struct flux_port flux;
    struct cca_services *services;
    int calls; /* __atomic */
};

static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    struct worker *worker = cca_container_of(self, struct worker, flux);
    int64_t die_at = cca_services_param_long(worker->services, "die_at");

    if (iterations)
        *iterations = (int64_t)nx * ny;
    if (__atomic_add_fetch(&worker->calls, 1, __ATOMIC_RELAXED) == die_at)
        raise(SIGKILL);
    if (ny > 1) {
        struct flux_port *next = cca_services_get_port_nonblocking(
            worker->services, "next", FLUX_PORT_TYPE, sizeof *next, NULL);

        if (next) {
            next->compute(next, axis, nx, ny - 1, patch, left, right, flux, NULL, active);
            cca_services_release_port(worker->services, "next", NULL);
        }
    }
    return 0;
}

static const struct flux_port port = {{FLUX_PORT_TYPE, sizeof port}, compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct worker, services),
    .name = "MeasuredWorker",
    CCA_IMPLEMENTS({"flux", offsetof(struct worker, flux), &port.base}),
    CCA_USES(CCA_PORT("next", FLUX_PORT_TYPE, struct flux_port)),
    CCA_PARAMS({.name = "die_at",
                .type = CCA_INT,
                .value = "0",
                .low = "0",
                .help = "0: never"}),
};
