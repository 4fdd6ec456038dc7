/* SPDX-License-Identifier: BSD-3-Clause */
/* laws_port.h: methods whose cost follows a law known beforehand. */
#ifndef LAWS_PORT_H
#define LAWS_PORT_H

#include "ports/cca_port.h"

#define LAWS_PORT_TYPE "bench.LawsPort/1"

struct laws_port {
    struct cca_port base;

    /* Each spins for as many units as its law says of `n` >= 2, and returns 0. */
    int (*constant)(struct laws_port *self, CCA_PARAM int n);
    int (*logarithm)(struct laws_port *self, CCA_PARAM int n);
    int (*root)(struct laws_port *self, CCA_PARAM int n);
    int (*line)(struct laws_port *self, CCA_PARAM int n);
    int (*line_log)(struct laws_port *self, CCA_PARAM int n);
    int (*line_square)(struct laws_port *self, CCA_PARAM int n);
    int (*square)(struct laws_port *self, CCA_PARAM int n);
    int (*cube)(struct laws_port *self, CCA_PARAM int n);
};

#endif
