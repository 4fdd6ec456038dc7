/* SPDX-License-Identifier: BSD-3-Clause */
/* states_port.h: reconstruct the states on both sides of the faces of a patch. */
#ifndef PORTS_STATES_PORT_H
#define PORTS_STATES_PORT_H

#include "ports/cca_port.h"

#define STATES_PORT_TYPE "shock.StatesPort/1"

struct states_port {
    struct cca_port base;

    /* Reconstruct primitive states at the faces of one patch along one axis.
     *
     *   axis         in   0: faces normal to x, memory in sequence; 1: normal to y,
     *                     strided
     *   nx, ny       in   number of interior cells, > 0; faces are (nx+1) x ny or
     *                     nx x (ny+1)
     *   ghost        in   number of ghost layers of u, at least ghost_needed
     *   pitch, plane in   layout of u as in struct mesh_patch
     *   u            in   conserved variables with ghost cells: rho, rho u, rho v, rho E,
     *                     rho zeta
     *   left, right  out  [5][faces y][faces x] doubles: rho, u, v, p, zeta; caller's
     *                     memory
     *
     * Returns 0; -EDOM if a cell has no positive density or pressure; -EINVAL too few
     * ghost layers. Not collective; any thread, one call per self at a time. */
    int (*reconstruct)(struct states_port *self, CCA_MODE("0: x, 1: y") int axis,
                       CCA_PARAM int nx, CCA_PARAM int ny, int ghost,
                       CCA_PARAM ptrdiff_t pitch, ptrdiff_t plane, const double *u,
                       double *left, double *right) CCA_PERF("Q = nx * ny");

    /* Return the number of ghost layers that `reconstruct` reads: 1 at first order, 2
     * with slopes. */
    int (*ghost_needed)(struct states_port *self) CCA_UNMEASURED;
};

#endif
