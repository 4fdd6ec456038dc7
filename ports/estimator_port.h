/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_port.h: which cells of a patch a finer level should cover. */
#ifndef PORTS_ESTIMATOR_PORT_H
#define PORTS_ESTIMATOR_PORT_H

#include "ports/mesh_port.h"

#define ESTIMATOR_PORT_TYPE "shock.EstimatorPort/1"

struct estimator_port {
    struct cca_port base;

    /* Flag the interior cells of a patch for mesh regrid.
     *
     *   nx, ny   in   interior cells of `patch` again
     *   patch    in   layout of u and flags; borrowed for the call
     *   u        in   conserved variables, one layer of ghost cells filled
     *   flags    out  1 component: 1 refine, 0 not; interior only is written
     *   flagged  out  cells with 1; may be NULL
     *
     * Returns 0; -EDOM where a cell has no positive density; -EINVAL a patch without
     * ghost cells. Not collective. The flag of a cell depends on the cell and its
     * neighbours alone, not on the patch. */
    int (*flag)(struct estimator_port *self, CCA_PARAM int nx, CCA_PARAM int ny,
                const struct mesh_patch *patch, const double *u, double *flags,
                CCA_OUT_PARAM int64_t *flagged) CCA_PERF("Q = nx * ny");
};

#endif
