/* SPDX-License-Identifier: BSD-3-Clause */
/* HLLCFlux: an approximate Riemann solver with three waves of estimated speeds.
 *
 * E. F. Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 10. The
 * outer speeds are Einfeldt's: the smaller of the speed in the gas on that side and the
 * speed in the Roe average, so that a single shock is resolved exactly; a contact at rest
 * stays exactly as it is. Cheap: no power, no iteration. Prone to Quirk's odd-even
 * instability, like Godunov's flux. */
#include "components/faces.h"
#include "ports/flux_port_signature.h"
#include "ports/gas_port_signature.h"

struct hllc {
    struct flux_port port;
    struct cca_services *services;
};

/* Estimate the speeds of the outer waves (Toro, equations 10.51 to 10.54, with the Roe
 * average of the normal motion alone). */
static void outer_speeds(double gamma, const struct face_state *l,
                         const struct face_state *r, double *slow, double *fast)
{
    double al2 = gamma * l->p / l->rho, ar2 = gamma * r->p / r->rho;
    double al = sqrt(al2), ar = sqrt(ar2);
    double wl = sqrt(l->rho), wr = sqrt(r->rho), sum = wl + wr;
    double du = r->un - l->un;
    double u = (wl * l->un + wr * r->un) / sum;
    double a = sqrt((wl * al2 + wr * ar2) / sum +
                    .5 * (gamma - 1.) * (wl * wr) / (sum * sum) * (du * du));

    *slow = l->un - al < u - a ? l->un - al : u - a;
    *fast = r->un + ar > u + a ? r->un + ar : u + a;
}

/* Compute the flux between the contact, which moves at `contact` >= 0, and the wave of
 * speed `slow` < 0 on its left. The state there follows from the jump conditions at the
 * wave. The formula has the form of a physical flux, so that the result is exactly (0, p,
 * 0, 0, 0) at rest. */
static void star_flux(double gamma, const struct face_state *s, double slow,
                      double contact, struct face_flux *flux)
{
    double inflow = s->rho * (s->un - slow); /* mass flux through the wave; > 0 */
    double rho = inflow / (contact - slow);
    double p = s->p + inflow * (s->un - contact);
    double mass = rho * contact;
    double energy = s->p / (s->rho * (gamma - 1.)) +
                    .5 * (s->un * s->un + s->ut * s->ut) +
                    /* total energy per mass behind the wave `slow` */
                    (s->un * s->p - contact * p) / inflow;

    flux->mass = mass;
    flux->normal = mass * contact + p;
    flux->tangential = mass * s->ut;
    flux->energy = mass * energy + contact * p;
    flux->zeta = mass * s->zeta;
}

static int hllc_face(double gamma, const struct face_state *left,
                     const struct face_state *right, struct face_flux *flux)
{
    double slow, fast, inflow_left, inflow_right, contact;

    outer_speeds(gamma, left, right, &slow, &fast);
    if (slow >= 0.) {
        face_physical_flux(gamma, left, flux);
        return 0;
    }
    if (fast <= 0.) {
        face_physical_flux(gamma, right, flux);
        return 0;
    }
    inflow_left = left->rho * (left->un - slow);
    inflow_right = right->rho * (fast - right->un);
    contact =
        ((left->p - right->p) + (inflow_left * left->un + inflow_right * right->un)) /
        (inflow_left + inflow_right);
    if (contact >= 0.) {
        star_flux(gamma, left, slow, contact, flux);
    } else {
        struct face_state mirrored = face_mirrored(right);

        star_flux(gamma, &mirrored, -fast, -contact, flux);
        flux->mass = -flux->mass;
        flux->tangential = -flux->tangential;
        flux->energy = -flux->energy;
        flux->zeta = -flux->zeta;
    }
    return 0;
}

static int hllc_compute(struct flux_port *port, int axis, int nx, int ny, int64_t patch,
                        const double *left, const double *right, double *flux,
                        int64_t *iterations, int64_t *active)
{
    struct hllc *self = cca_container_of(port, struct hllc, port);

    (void)patch;
    if (active)
        *active = -1;
    return faces_walk(hllc_face, self->services, axis, nx, ny, left, right, flux,
                      iterations, NULL, NULL);
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = hllc_compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct hllc, services),
    .name = "HLLCFlux",
    .summary = "approximate Riemann solver with contact (Toro's HLLC)",
    CCA_SIGNATURES(FLUX_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"flux", offsetof(struct hllc, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("flux", FLUX_PORT_TYPE, struct flux_port)),
    CCA_USES(GAS_USES),
    /* Quality attributes of the class, measured with van Leer slopes, RK2 and a
     * Courant number of 0.4; rounded up. */
    CCA_QUALITY(
        {"sod_l1_200", .0028, CCA_MAX, "$SCRIPTS/quality.sh HLLCFlux sod_l1_200"},
        {"contact_cells", 0, CCA_MAX, "$SCRIPTS/quality.sh HLLCFlux contact_cells"},
        {"oddeven_m6", .45, CCA_MAX, "$SCRIPTS/quality.sh HLLCFlux oddeven_m6"}),
};
