/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_sink.c: serves the port that the test interposers need, and needs a clock itself. */
#include <errno.h>

#include "framework/cca.h"
#include "tests/components/fw_ports.h"

struct sink {
    struct fw_sink_port port;
    struct cca_services *services;
    int counted;
};

static void sink_count(struct fw_sink_port *self)
{
    cca_container_of(self, struct sink, port)->counted++;
}

static int sink_counted(struct fw_sink_port *self)
{
    struct sink *sink = cca_container_of(self, struct sink, port);
    CCA_USE(struct fw_clock_port, clock, sink->services, "clock");

    return sink->counted + (clock ? clock->now(clock) : -1);
}

static const struct fw_sink_port port = {
    {FW_SINK_TYPE, sizeof port}, sink_count, sink_counted};

static int sink_set_services(void *self, struct cca_services *services,
                             struct cca_error *err)
{
    (void)self;
    return cca_services_framework_property(services, "no-sink")
               ? cca_error_set(err, -EIO, "the sink is stopped up")
               : 0;
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct sink, services),
    .name = "FwSink",
    .serves = FW_SINK_TYPE,
    CCA_IMPLEMENTS({"sink", offsetof(struct sink, port), &port.base}),
    CCA_USES(CCA_REQUIRED("clock", FW_CLOCK_TYPE, struct fw_clock_port)),
    .set_services = sink_set_services,
};
