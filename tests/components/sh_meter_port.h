/* SPDX-License-Identifier: BSD-3-Clause */
/* sh_meter_port.h: the results of a WallMeter, for tests. */
#ifndef TESTS_COMPONENTS_SH_METER_PORT_H
#define TESTS_COMPONENTS_SH_METER_PORT_H

#include "ports/cca_port.h"

#define METER_PORT_TYPE "test.MeterPort/1"

struct meter_port {
    struct cca_port base;

    /* The amount of component `n` that came in through sides that are not periodic, since
     * prepare. */
    double (*sum)(struct meter_port *self, int n) CCA_UNMEASURED;

    /* Calls of the output port since prepare, and the moment of the last. */
    int (*writes)(struct meter_port *self) CCA_UNMEASURED;
    double (*time_s)(struct meter_port *self) CCA_UNMEASURED;
    int64_t (*step)(struct meter_port *self) CCA_UNMEASURED;
};

#endif
