/* SPDX-License-Identifier: BSD-3-Clause */
/* godunov.h: a flux class by Godunov's method, except the function for one face.
 *
 * Out-parameter and counter are the iterations of Toro's exact solver (riemann.h). */
#ifndef COMPONENTS_GODUNOV_H
#define COMPONENTS_GODUNOV_H

#include "components/probe.h"
#include "components/publish.h"
#include "components/riemann.h"
#include "ports/flux_port_signature.h"
#include "ports/gas_port_signature.h"

struct godunov {
    struct flux_port port;
    struct cca_services *services;
    struct publisher iterations;
    struct prober prober;
};

/* Compute the fluxes of a patch by `face`. Arguments and result are as for `compute` of
 * the flux port. */
__attribute__((always_inline)) static inline int
godunov_walk(face_function face, struct flux_port *port, int axis, int nx, int ny,
             int64_t patch, const double *left, const double *right, double *flux,
             int64_t *iterations, int64_t *active)
{
    struct godunov *self = cca_container_of(port, struct godunov, port);
    struct probe_port *probe = self->prober.port;
    int32_t *work = probe ? probe->room(probe, (int64_t)nx * ny) : NULL;
    int64_t spent = 0, waves = 0;
    int result = faces_walk(face, self->services, axis, nx, ny, left, right, flux, &spent,
                            &waves, work);

    if (work && !result)
        probe->faces(probe, axis, nx, ny, work);

    (void)patch;
    publisher_add(&self->iterations, spent);
    if (result == 0 && iterations)
        *iterations = spent;
    if (result == 0 && active)
        *active = waves;
    return result;
}

/* Initialise the counter COMPONENT::riemann_iterations and the probe. */
static inline int godunov_init(struct godunov *self, struct cca_services *services,
                               const char *component, struct cca_error *err)
{
    int result =
        publisher_init(&self->iterations, services, component, "riemann_iterations", err);

    return result ? result : prober_init(&self->prober, services, err);
}

#define GODUNOV_CLASS                                                                    \
    CCA_CLASS(struct godunov, services),                                                 \
        CCA_SIGNATURES(FLUX_PORT_SIGNATURE, GAS_PORT_SIGNATURE),                         \
        CCA_IMPLEMENTS({"flux", offsetof(struct godunov, port), &port.base}),            \
        CCA_PROVIDES(CCA_INDEPENDENT("flux", FLUX_PORT_TYPE, struct flux_port)),         \
        CCA_USES(GAS_USES, PUBLISH_USES, PROBE_USES)

#endif
