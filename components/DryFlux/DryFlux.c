/* SPDX-License-Identifier: BSD-3-Clause */
/* DryFlux: accepts the calls of a flux class without any work: the flux is zero, so the
 * field does not change. A run with it has the same calls and sizes as a real one. */
#include <assert.h>
#include <string.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/flux_port_signature.h"
#include "ports/gas_port_signature.h"

static int dry_compute(struct flux_port *port, int axis, int nx, int ny, int64_t patch,
                       const double *left, const double *right, double *flux,
                       int64_t *iterations, int64_t *active)
{
    (void)port, (void)axis, (void)patch, (void)left, (void)right;
    assert(nx > 0 && ny > 0);
    memset(flux, 0, EULER_NVAR * (size_t)nx * (size_t)ny * sizeof *flux);
    if (iterations)
        *iterations = 0;
    if (active)
        *active = -1;
    return 0;
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = dry_compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct flux_port),
    .name = "DryFlux",
    .summary = "no flux: calls and sizes of a run without its work",
    CCA_SIGNATURES(FLUX_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"flux", 0, &port.base}),
    /* The port `gas` is not used, but scripts connect it to every flux class. */
    CCA_USES(CCA_PORT("gas", GAS_PORT_TYPE, struct gas_port)),
    /* Error of the initial state, which this class never changes; a limit on errors
       excludes the class. */
    CCA_QUALITY({"sod_l1_200", .16, CCA_MAX, "$SCRIPTS/quality.sh DryFlux sod_l1_200"}),
};
