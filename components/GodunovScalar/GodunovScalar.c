/* SPDX-License-Identifier: BSD-3-Clause */
/* GodunovScalar: like GodunovFlux, but skips the iteration on faces without waves.
 *
 * The waves between the states of a quiet face (face_is_quiet) are below rounding:
 * pressure and velocity at the face are means, and the gas is taken from the
 * upstream side. On all other faces the class computes what GodunovFlux does (riemann.h).
 * The out-parameter counts no iteration for a quiet face, so it measures the activity in
 * a patch. */
#include "components/godunov.h"

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

static int scalar_compute(struct flux_port *port, int axis, int nx, int ny, int64_t patch,
                          const double *left, const double *right, double *flux,
                          int64_t *iterations, int64_t *active)
{
    return godunov_walk(scalar_face, port, axis, nx, ny, patch, left, right, flux,
                        iterations, active);
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
