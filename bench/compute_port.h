/* SPDX-License-Identifier: BSD-3-Clause */
/* compute_port.h: a port whose calls do nothing, to measure what is around a call. */
#ifndef BENCH_COMPUTE_PORT_H
#define BENCH_COMPUTE_PORT_H

#include "ports/cca_port.h"

#define COMPUTE_PORT_TYPE "bench.ComputePort/1"

struct compute_port {
    struct cca_port base;

    /* Do nothing. Two integers are kept of a call: axis, and nx * ny. Returns 0. */
    int (*compute)(struct compute_port *self, CCA_MODE("0: x, 1: y") int axis, int nx,
                   int ny, const double *in, double *out) CCA_PERF("Q = nx * ny");
};

#endif
