/* SPDX-License-Identifier: BSD-3-Clause */
/* GodunovScalar: like GodunovFlux, but skips the iteration on faces without waves.
 *
 * A face is quiet if pressure and normal velocity are equal on both sides, up to QUIET
 * times the pressure and the speed of sound. The waves between such states are below
 * rounding: pressure and velocity at the face are means, and the gas is taken from the
 * upstream side. On all other faces the class computes what GodunovFlux does (riemann.h).
 * The out-parameter counts no iteration for a quiet face, so it measures the activity in
 * a patch. */
#include "components/godunov.h"

#define QUIET 1e-14

static inline int face_is_quiet(const struct face_state *l, const struct face_state *r)
{
    double rho = l->rho > r->rho ? l->rho : r->rho, p = l->p < r->p ? l->p : r->p;
    double du = r->un - l->un;

    /* p / rho is at most the square of either speed of sound */
    return fabs(r->p - l->p) <= QUIET * p && rho * du * du <= QUIET * QUIET * p;
}

static int scalar_face(double gamma, const struct face_state *left,
                       const struct face_state *right, struct face_flux *flux)
{
    struct face_state at;
    int iterations = 0;

    if (face_is_quiet(left, right)) {
        double u = .5 * (left->un + right->un);

        at = u >= 0. ? *left : *right;
        at.un = u;
        at.p = .5 * left->p + .5 * right->p;
    } else {
        iterations = riemann_at_face(gamma, left, right, &at);
        if (iterations < 0)
            return iterations;
    }
    face_physical_flux(gamma, &at, flux);
    return iterations;
}

static int scalar_compute(struct flux_port *port, int axis, int nx, int ny,
                          const double *left, const double *right, double *flux,
                          int64_t *iterations)
{
    return godunov_walk(scalar_face, port, axis, nx, ny, left, right, flux, iterations);
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = scalar_compute};

static int scalar_set_services(void *instance, struct cca_services *services,
                               struct cca_error *err)
{
    return godunov_init(instance, services, "godunov_scalar", err);
}

CCA_EXPORT const struct cca_class cca_class = {
    GODUNOV_CLASS,
    .name = "GodunovScalar",
    .summary = "exact Riemann solver (Godunov) that skips quiet faces",
    /* Quality attributes of the class, measured with van Leer slopes, RK2 and a
     * Courant number of 0.4; rounded up. */
    CCA_QUALITY(
        {"sod_l1_200", .0025, CCA_MAX, "$SCRIPTS/quality.sh GodunovScalar sod_l1_200"},
        {"contact_cells", 0, CCA_MAX, "$SCRIPTS/quality.sh GodunovScalar contact_cells"},
        {"oddeven_m6", .38, CCA_MAX, "$SCRIPTS/quality.sh GodunovScalar oddeven_m6"}),
    .set_services = scalar_set_services,
};
