/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_port.h: flag the cells of a patch that need refinement. */
#ifndef PORTS_ESTIMATOR_PORT_H
#define PORTS_ESTIMATOR_PORT_H

#include "ports/mesh_port.h"

#define ESTIMATOR_PORT_TYPE "shock.EstimatorPort/1"

struct estimator_port {
    struct cca_port base;

    /* Flag interior cells of a patch for `regrid` of the mesh port.
     *
     *   nx, ny   in   interior cells, as in `patch`
     *   patch    in   layout of u and flags; borrowed for the call
     *   u        in   conserved variables, one layer of ghost cells filled
     *   flags    out  1 component: 1 to refine the cell, 0 not; only the interior is
     *                 written
     *   flagged  out  number of flagged cells; may be NULL
     *
     * Returns 0; -EDOM if a cell has no positive density; -EINVAL a patch without ghost
     * cells. Not collective. The flag depends only on the cell and its neighbours, not on
     * the patch. */
    int (*flag)(struct estimator_port *self, CCA_PARAM int nx, CCA_PARAM int ny,
                const struct mesh_patch *patch, const double *u, double *flags,
                CCA_OUT_PARAM int64_t *flagged) CCA_PERF("Q = nx * ny");
};

#endif
