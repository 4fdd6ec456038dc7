/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_clock.c: serves the port that fw_sink needs: a clock that stands still. */
#include "framework/cca.h"
#include "tests/components/fw_ports.h"

static int clock_now(struct fw_clock_port *self)
{
    (void)self;
    return 0;
}

static const struct fw_clock_port port = {{FW_CLOCK_TYPE, sizeof port}, clock_now};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct fw_clock_port),
    .name = "FwClock",
    .serves = FW_CLOCK_TYPE,
    CCA_IMPLEMENTS({"clock", 0, &port.base}),
};
