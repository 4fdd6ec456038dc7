/* SPDX-License-Identifier: BSD-3-Clause */
/* flux_port.h: numerical fluxes of the Euler equations through faces. */
#ifndef PORTS_FLUX_PORT_H
#define PORTS_FLUX_PORT_H

#include "ports/cca_port.h"

#define FLUX_PORT_TYPE "shock.FluxPort/1"

struct flux_port {
    struct cca_port base;

    /* Compute the fluxes through the faces of one patch along one axis from the states on
     * both sides.
     *
     *   axis         in   0: faces normal to x, memory in sequence; 1: normal to y,
     *                     strided
     *   nx, ny       in   number of faces in x and y, > 0
     *   patch        in   id of the patch, the same in all its calls, or negative: the
     *                     hint `last_active` is `active` of its last call along the axis
     *   left, right  in   [5][ny][nx] doubles, row-major: rho, u, v, p, zeta; left is at
     *                     the smaller coordinate
     *   flux         out  [5][ny][nx] doubles, caller's memory: of rho, rho u, rho v, rho
     *                     E, rho zeta
     *   iterations   out  iterations of the Riemann solver, summed over all faces; 0 for
     *                     a solver without iterations; may be NULL
     *   active       out  number of faces with waves: pressure or normal velocity differ
     *                     by more than rounding; -1: the class does not count them; may
     *                     be NULL
     *
     * Returns 0; -EDOM if a state has no positive density or pressure (`flux` is then
     * undefined). Not collective; any thread, one call per self at a time. */
    int (*compute)(struct flux_port *self, CCA_MODE("0: x, 1: y") int axis,
                   CCA_PARAM int nx, CCA_PARAM int ny, int64_t patch, const double *left,
                   const double *right, double *flux, CCA_OUT_PARAM int64_t *iterations,
                   int64_t *active)
        CCA_PERF("Q = nx * ny; reads left[5 * nx * ny]; reads right[5 * nx * ny]; "
                 "writes flux[5 * nx * ny]; writes active[1]; "
                 "hint last_active = recall active on (2 * patch + axis); "
                 "remember *active as active on (2 * patch + axis)");
};

#endif
