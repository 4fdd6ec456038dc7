/* SPDX-License-Identifier: BSD-3-Clause */
/* tally_port.h: a port with state: a sum of numbers. */
#ifndef TALLY_PORT_H
#define TALLY_PORT_H

#include "ports/cca_port.h"

#define TALLY_PORT_TYPE "test.TallyPort/1"

struct tally_port {
    struct cca_port base;

    /* Add `n` >= 0 to the sum; with n < 0, return when `release` was called. Any thread.
     */
    int (*add)(struct tally_port *self, CCA_PARAM int64_t n);
    /* Return the sum. */
    int64_t (*sum)(struct tally_port *self) CCA_UNMEASURED;
    void (*release)(struct tally_port *self) CCA_UNMEASURED;
};

#endif
