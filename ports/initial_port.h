/* SPDX-License-Identifier: BSD-3-Clause */
/* initial_port.h: domain and initial state of a problem. */
#ifndef PORTS_INITIAL_PORT_H
#define PORTS_INITIAL_PORT_H

#include "ports/mesh_port.h"

#define INITIAL_PORT_TYPE "shock.InitialPort/1"

struct initial_port {
    struct cca_port base;

    /* Set the members xlo, ylo, xhi, yhi of `domain` to the rectangle of the problem;
     * other members are unchanged. */
    int (*extent)(struct initial_port *self, struct mesh_domain *domain) CCA_UNMEASURED;

    /* Set the interior of a patch to the initial state at time 0.
     *
     *   nx, ny  in   interior cells, as in `patch`
     *   u       out  conserved variables
     *
     * Returns 0. Not collective. */
    int (*fill)(struct initial_port *self, CCA_PARAM int nx, CCA_PARAM int ny,
                const struct mesh_patch *patch, double *u) CCA_PERF("Q = nx * ny");
};

#endif
