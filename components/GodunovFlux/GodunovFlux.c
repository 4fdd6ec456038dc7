/* SPDX-License-Identifier: BSD-3-Clause */
/* GodunovFlux: the flux of the exact solution of the Riemann problem at each face.
 *
 * Godunov's method with Toro's exact solver (riemann.h). Sharp, and dear: every face
 * iterates at least once; how often in all is the out-parameter, and counted in
 * godunov::riemann_iterations where the uses port `counters` is connected. A contact at
 * rest stays exactly as it is. Strong shocks aligned with the mesh are prone to Quirk's
 * odd-even instability. */
#include <errno.h>
#include <stdlib.h>

#include "components/GodunovFlux/riemann.h"
#include "components/gas.h"
#include "components/publish.h"
#include "ports/flux_port.h"

struct godunov {
    struct flux_port port;
    struct cca_services *services;
    struct publisher iterations;
};

static int godunov_face(double gamma, const struct face_state *left,
                        const struct face_state *right, struct face_flux *flux)
{
    struct face_state at;
    int iterations = riemann_at_face(gamma, left, right, &at);

    if (iterations < 0)
        return iterations;
    face_physical_flux(gamma, &at, flux);
    return iterations;
}

static int godunov_compute(struct flux_port *port, int axis, int nx, int ny,
                           const double *left, const double *right, double *flux,
                           int64_t *iterations)
{
    struct godunov *self = cca_container_of(port, struct godunov, port);
    int64_t spent = 0;
    double gamma;
    int result = gas_gamma(self->services, &gamma);

    if (result < 0)
        return result;
    result = faces_walk(godunov_face, gamma, axis, nx, ny, left, right, flux, &spent);
    publisher_add(&self->iterations, spent);
    if (result == 0 && iterations)
        *iterations = spent;
    return result;
}

static void *godunov_create(const struct cca_class *cls, struct cca_error *err)
{
    struct godunov *self = calloc(1, sizeof *self);

    (void)cls;
    if (!self) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    self->port = (struct flux_port){
        .base = {FLUX_PORT_TYPE, sizeof(struct flux_port)},
        .compute = godunov_compute,
    };
    return self;
}

static int godunov_set_services(void *instance, struct cca_services *services,
                                struct cca_error *err)
{
    struct godunov *self = instance;
    int result =
        publisher_init(&self->iterations, services, "godunov", "riemann_iterations", err);

    self->services = services;
    if (result)
        return result;
    return cca_services_add_provides_port(services, &self->port.base, "flux", NULL, err);
}

static void godunov_destroy(void *instance)
{
    free(instance);
}

static const struct cca_port_decl provides[] = {
    {.name = "flux", .type = FLUX_PORT_TYPE, .size = sizeof(struct flux_port)},
    {0},
};

static const struct cca_port_decl uses[] = {
    {.name = "gas",
     .type = GAS_PORT_TYPE,
     .size = sizeof(struct gas_port),
     .min_connections = 1},
    PUBLISH_USES,
    {0},
};

/* Measured with van Leer slopes, RK2 and a Courant number of 0.4; rounded up. */
static const struct cca_quality quality[] = {
    {"sod_l1_200", .0025, CCA_MAX, "scripts/quality.sh GodunovFlux sod_l1_200"},
    {"contact_cells", 0, CCA_MAX, "scripts/quality.sh GodunovFlux contact_cells"},
    {"oddeven_m6", .38, CCA_MAX, "scripts/quality.sh GodunovFlux oddeven_m6"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "GodunovFlux",
    .summary = "exact Riemann solver (Godunov)",
    .provides = provides,
    .uses = uses,
    .quality = quality,
    .create = godunov_create,
    .set_services = godunov_set_services,
    .destroy = godunov_destroy,
};
