/* SPDX-License-Identifier: BSD-3-Clause */
/* EFMFlux: the equilibrium flux method: gas streams freely through the face from both
 * sides.
 *
 * D. I. Pullin, J. Comput. Phys. 34 (1980) 231-244. Each side is a Maxwellian of its
 * density, velocity and temperature; its flux is carried by the molecules that move
 * towards the face. The integrals of c, c^2 and c^3 (c is the molecules' normal speed)
 * over half of velocity space follow from each other. Robust where the other classes
 * suffer from Quirk's instability; smears contacts, even at rest. */
#include "components/faces.h"
#include "ports/flux_port_signature.h"
#include "ports/gas_port_signature.h"

struct efm {
    struct flux_port port;
    struct cca_services *services;
};

/* Return the flux of the gas on the left through the face. With t = p / rho the variance
 * of the molecules' normal speed c and f their distribution, the moments over c > 0 are
 *
 *     m0 = rho P(c > 0)    m1 = u m0 + t f(0)    m2 = u m1 + t m0    m3 = u m2 + 2 t m1
 *
 * Motion along the face and internal degrees of freedom carry t (1 / (gamma - 1) - 1/2)
 * per mass. */
static struct face_flux half_flux(double gamma, const struct face_state *s)
{
    const double sqrt_half = 0.70710678118654752440, sqrt_two_pi = 2.50662827463100050242;
    double t = s->p / s->rho, sigma = sqrt(t);
    double x = s->un / sigma * sqrt_half;
    double m0 = s->rho * .5 * erfc(-x);
    double m1 = s->un * m0 + s->rho * sigma / sqrt_two_pi * exp(-x * x);
    double m2 = s->un * m1 + t * m0;
    double m3 = s->un * m2 + 2. * t * m1;

    return (struct face_flux){
        .mass = m1,
        .normal = m2,
        .tangential = m1 * s->ut,
        .energy = .5 * m3 + m1 * (.5 * s->ut * s->ut + t * (1. / (gamma - 1.) - .5)),
        .zeta = m1 * s->zeta,
    };
}

static int efm_face(double gamma, const struct face_state *left,
                    const struct face_state *right, struct face_flux *flux)
{
    struct face_state mirrored = face_mirrored(right);
    struct face_flux to_right = half_flux(gamma, left),
                     to_left = half_flux(gamma, &mirrored);

    flux->mass = to_right.mass - to_left.mass;
    flux->normal = to_right.normal + to_left.normal;
    flux->tangential = to_right.tangential - to_left.tangential;
    flux->energy = to_right.energy - to_left.energy;
    flux->zeta = to_right.zeta - to_left.zeta;
    return 0;
}

static int efm_compute(struct flux_port *port, int axis, int nx, int ny, int64_t patch,
                       const double *left, const double *right, double *flux,
                       int64_t *iterations, int64_t *active)
{
    struct efm *self = cca_container_of(port, struct efm, port);

    (void)patch;
    if (active)
        *active = -1;
    return faces_walk(efm_face, self->services, axis, nx, ny, left, right, flux,
                      iterations, NULL, NULL);
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = efm_compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct efm, services),
    .name = "EFMFlux",
    .summary = "equilibrium flux method (Pullin 1980)",
    CCA_SIGNATURES(FLUX_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"flux", offsetof(struct efm, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("flux", FLUX_PORT_TYPE, struct flux_port)),
    CCA_USES(GAS_USES),
    /* Quality attributes of the class, measured with van Leer slopes, RK2 and a
     * Courant number of 0.4; rounded up. */
    CCA_QUALITY(
        {"sod_l1_200", .0029, CCA_MAX, "$SCRIPTS/quality.sh EFMFlux sod_l1_200"},
        {"contact_cells", 10, CCA_MAX, "$SCRIPTS/quality.sh EFMFlux contact_cells"},
        {"oddeven_m6", 8.6e-7, CCA_MAX, "$SCRIPTS/quality.sh EFMFlux oddeven_m6"}),
};
