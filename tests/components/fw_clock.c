/* SPDX-License-Identifier: BSD-3-Clause */
/* fw_clock.c: serves what fw_sink needs: a clock that stands still. */
#include <stdlib.h>

#include "framework/cca.h"
#include "tests/components/fw_ports.h"

static int clock_now(struct fw_clock_port *self)
{
    (void)self;
    return 0;
}

static void *clock_create(const struct cca_class *cls, struct cca_error *err)
{
    struct fw_clock_port *clock = calloc(1, sizeof *clock);

    (void)cls;
    (void)err;
    if (clock)
        *clock = (struct fw_clock_port){{FW_CLOCK_TYPE, sizeof *clock}, clock_now};
    return clock;
}

static int clock_set_services(void *self, struct cca_services *services,
                              struct cca_error *err)
{
    struct fw_clock_port *clock = self;

    return cca_services_add_provides_port(services, &clock->base, "clock", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "clock", .type = FW_CLOCK_TYPE, .size = sizeof(struct fw_clock_port)}, {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FwClock",
    .provides = provides,
    .serves = FW_CLOCK_TYPE,
    .create = clock_create,
    .set_services = clock_set_services,
    .destroy = free,
};
