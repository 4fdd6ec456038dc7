/* SPDX-License-Identifier: BSD-3-Clause */
/* rhs_port.h: compute the right-hand side of the semi-discrete equations on one patch. */
#ifndef PORTS_RHS_PORT_H
#define PORTS_RHS_PORT_H

#include "ports/mesh_port.h"

#define RHS_PORT_TYPE "shock.RhsPort/1"

struct rhs_port {
    struct cca_port base;

    /* Compute du/dt = -(dF/dx + dG/dy) on the interior of a patch.
     *
     *   nx, ny          in   interior cells, as in `patch`: the cost depends on them
     *   patch           in   layout of the patch; borrowed for the call. Calls are
     *                        counted separately for each level; rows of calls also have
     *                        the patch's first cell (aggregated calls do not)
     *   u               in   conserved variables, with ghost cells filled
     *   dudt            out  same layout as u; only the interior is written
     *   flux_x, flux_y  out  [5][ny][nx+1] and [5][ny+1][nx] face fluxes, caller's
     *                        memory, or both NULL if the caller does not need them
     *
     * Returns 0; -EDOM from a component that it uses; -ENOMEM. Not collective. One
     * call per self at a time. */
    int (*evaluate)(struct rhs_port *self, CCA_PARAM int nx, CCA_PARAM int ny,
                    const struct mesh_patch *patch, const double *u, double *dudt,
                    double *flux_x, double *flux_y)
        CCA_PERF("Q = nx * ny; level = patch->level; out ilo = patch->ilo; "
                 "out jlo = patch->jlo");

    /* Return the number of ghost layers that `evaluate` reads. */
    int (*ghost_needed)(struct rhs_port *self) CCA_UNMEASURED;
};

#endif
