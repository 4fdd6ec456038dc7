/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_sink.c: serves what the test interposers need, and needs a clock itself. */
#include <errno.h>
#include <stdlib.h>

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
    struct fw_clock_port *clock = cca_services_get_port(
        sink->services, "clock", FW_CLOCK_TYPE, sizeof *clock, NULL);
    int zero = clock ? clock->now(clock) : -1;

    cca_services_release_port(sink->services, "clock", NULL);
    return sink->counted + zero;
}

static void *sink_create(const struct cca_class *cls, struct cca_error *err)
{
    struct sink *sink = calloc(1, sizeof *sink);

    (void)cls;
    (void)err;
    if (sink)
        sink->port = (struct fw_sink_port){
            {FW_SINK_TYPE, sizeof sink->port}, sink_count, sink_counted};
    return sink;
}

static int sink_set_services(void *self, struct cca_services *services,
                             struct cca_error *err)
{
    struct sink *sink = self;

    sink->services = services;
    if (cca_services_framework_property(services, "no-sink"))
        return cca_error_set(err, -EIO, "the sink is stopped up");
    return cca_services_add_provides_port(services, &sink->port.base, "sink", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "sink", .type = FW_SINK_TYPE, .size = sizeof(struct fw_sink_port)}, {0}};

static const struct cca_port_decl uses[] = {{.name = "clock",
                                             .type = FW_CLOCK_TYPE,
                                             .size = sizeof(struct fw_clock_port),
                                             .min_connections = 1},
                                            {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FwSink",
    .provides = provides,
    .uses = uses,
    .serves = FW_SINK_TYPE,
    .create = sink_create,
    .set_services = sink_set_services,
    .destroy = free,
};
