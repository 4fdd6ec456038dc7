/* SPDX-License-Identifier: BSD-3-Clause */
/* characteristics_port.h: characteristic speeds, and the time step they allow. */
#ifndef PORTS_CHARACTERISTICS_PORT_H
#define PORTS_CHARACTERISTICS_PORT_H

#include "ports/mesh_port.h"

#define CHARACTERISTICS_PORT_TYPE "shock.CharacteristicsPort/1"

struct characteristics_port {
    struct cca_port base;

    /* Compute the largest stable time step of a patch at Courant number 1: the minimum
     * over its interior cells of 1 / ((|u| + c) / dx + (|v| + c) / dy), seconds.
     *
     *   nx, ny  in   interior cells, as in `patch`
     *   u       in   conserved variables
     *   dt_s    out  the time step
     *
     * Returns 0; -EDOM if a cell has no positive density or pressure. Not collective.
     */
    int (*time_step)(struct characteristics_port *self, CCA_PARAM int nx,
                     CCA_PARAM int ny, const struct mesh_patch *patch, const double *u,
                     double *dt_s) CCA_PERF("Q = nx * ny");
};

#endif
