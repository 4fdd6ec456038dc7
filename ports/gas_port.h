/* SPDX-License-Identifier: BSD-3-Clause */
/* gas_port.h: gas model of the shock problem: an ideal gas with one ratio of specific
 * heats for both fluids (Samtaney and Zabusky 1994; reference [20] of the paper of
 * docs/papers/case-study.md). */
#ifndef PORTS_GAS_PORT_H
#define PORTS_GAS_PORT_H

#include "ports/cca_port.h"

#define GAS_PORT_TYPE "shock.GasPort/1"

struct gas_port {
    struct cca_port base;

    /* Return the ratio of specific heats, > 1. Any thread. */
    double (*gamma)(struct gas_port *self) CCA_UNMEASURED;
};

#endif
