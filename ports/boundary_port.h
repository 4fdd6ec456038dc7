/* SPDX-License-Identifier: BSD-3-Clause */
/* boundary_port.h: fill ghost cells outside the domain. */
#ifndef PORTS_BOUNDARY_PORT_H
#define PORTS_BOUNDARY_PORT_H

#include "ports/mesh_port.h"

#define BOUNDARY_PORT_TYPE "shock.BoundaryPort/1"

struct boundary_port {
    struct cca_port base;

    /* Fill the ghost cells of one patch that lie outside the domain, after `exchange` of
     * the mesh port.
     *
     *   patch  in      borrowed for the call; if its `boundary` is 0 it has no such
     *                  cells, and the call can be omitted
     *   u      in/out  conserved variables
     *   cells  out     number of cells that were filled; may be NULL
     *
     * Returns 0. Not collective. */
    int (*apply)(struct boundary_port *self, const struct mesh_patch *patch, double *u,
                 CCA_OUT_PARAM int64_t *cells);

    /* Whether the border is periodic in x (axis 0) or y (axis 1), as `define` of the mesh
     * port needs it. Returns 1 or 0; -EINVAL if only one side of the axis is periodic. */
    int (*periodic)(struct boundary_port *self, int axis) CCA_UNMEASURED;
};

#endif
