/* SPDX-License-Identifier: BSD-3-Clause */
/* ErrorEstimator: flag the cells where the density changes by more than a given fraction
 * from cell to cell: shocks, interfaces, and strong rarefactions.
 *
 * A jump has the same size between cells of any level, so a front is flagged on every
 * level; a smooth change is half as large on each finer level and stays on a coarser
 * one. */
#include <errno.h>
#include <math.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/estimator_port_signature.h"

struct estimator {
    struct estimator_port port;
    struct cca_services *services;
};

/* True if the density of one of the four neighbours differs from the cell's by more than
 * the fraction `part`. */
static inline int differs(const double *rho, ptrdiff_t pitch, double part)
{
    double x = fmax(fabs(rho[1] - rho[0]), fabs(rho[0] - rho[-1]));
    double y = fmax(fabs(rho[pitch] - rho[0]), fabs(rho[0] - rho[-pitch]));

    return fmax(x, y) > part * rho[0];
}

static int estimator_flag(struct estimator_port *self, int nx, int ny,
                          const struct mesh_patch *patch, const double *u, double *flags,
                          int64_t *flagged)
{
    struct estimator *k = cca_container_of(self, struct estimator, port);
    double part = cca_services_param_double(k->services, "threshold");
    int64_t count = 0;

    if (patch->ghost < 1)
        return -EINVAL;
    for (int j = 0; j < ny; j++) {
        ptrdiff_t row = (j + patch->ghost) * patch->pitch + patch->ghost;
        const double *rho = u + EULER_RHO * patch->plane + row;

        for (int i = 0; i < nx; i++) {
            if (!(rho[i] > 0.))
                return -EDOM;
            flags[row + i] = differs(rho + i, patch->pitch, part);
            count += flags[row + i] > 0.;
        }
    }
    if (flagged)
        *flagged = count;
    return 0;
}

static const struct estimator_port port = {.base = {ESTIMATOR_PORT_TYPE, sizeof port},
                                           .flag = estimator_flag};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct estimator, services),
    .name = "ErrorEstimator",
    .summary = "flags cells to refine: where the density changes by a part of itself",
    CCA_SIGNATURES(ESTIMATOR_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"estimator", offsetof(struct estimator, port), &port.base}),
    CCA_PARAMS({"threshold", CCA_DOUBLE, "0.05", "0", NULL, NULL, NULL,
                "flag where the density differs from a neighbour's by more than this "
                "part of itself",
                NULL}),
};
