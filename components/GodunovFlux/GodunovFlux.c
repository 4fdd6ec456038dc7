/* SPDX-License-Identifier: BSD-3-Clause */
/* GodunovFlux: the flux of the exact solution of the Riemann problem at each face.
 *
 * Godunov's method with Toro's exact solver (riemann.h). Sharp and expensive: every face
 * takes at least one iteration. The out-parameter is the number of iterations; the
 * counter godunov::riemann_iterations sums them if the uses port `counters` is connected.
 * A contact at rest stays exactly as it is. Strong shocks aligned with the mesh are prone
 * to Quirk's odd-even instability. */
#include "components/godunov.h"

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
                           int64_t patch, const double *left, const double *right,
                           double *flux, int64_t *iterations, int64_t *active)
{
    return godunov_walk(godunov_face, port, axis, nx, ny, patch, left, right, flux,
                        iterations, active);
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = godunov_compute};

static int godunov_set_services(void *instance, struct cca_services *services,
                                struct cca_error *err)
{
    return godunov_init(instance, services, "godunov", err);
}

CCA_EXPORT const struct cca_class cca_class = {
    GODUNOV_CLASS,
    .name = "GodunovFlux",
    .summary = "exact Riemann solver (Godunov)",
    /* Quality attributes of the class, measured with van Leer slopes, RK2 and a
     * Courant number of 0.4; rounded up. */
    CCA_QUALITY(
        {"sod_l1_200", .0025, CCA_MAX, "$SCRIPTS/quality.sh GodunovFlux sod_l1_200"},
        {"contact_cells", 0, CCA_MAX, "$SCRIPTS/quality.sh GodunovFlux contact_cells"},
        {"oddeven_m6", .38, CCA_MAX, "$SCRIPTS/quality.sh GodunovFlux oddeven_m6"}),
    .set_services = godunov_set_services,
};
