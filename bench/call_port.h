/* SPDX-License-Identifier: BSD-3-Clause */
/* call_port.h: a port whose calls do nothing, with plain arguments and with a struct by
 * value. */
#ifndef BENCH_CALL_PORT_H
#define BENCH_CALL_PORT_H

#include "ports/cca_port.h"

#define CALL_PORT_TYPE "bench.CallPort/1"

struct call_cell {
    double rho, u, v, p;
};

struct call_port {
    struct cca_port base;

    /* Do nothing. Two integers are kept of a call: axis, and nx * ny. Returns 0. */
    int (*plain)(struct call_port *self, CCA_MODE("0: x, 1: y") int axis, int nx, int ny,
                 const double *in, double *out) CCA_PERF("Q = nx * ny");
    /* The same; gives the cell back. */
    struct call_cell (*cell)(struct call_port *self, CCA_MODE("0: x, 1: y") int axis,
                             int nx, int ny, struct call_cell cell)
        CCA_PERF("Q = nx * ny");
};

#endif
