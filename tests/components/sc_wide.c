/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_wide.c: a port of the right type, compiled from a header that has grown; and every
 * kind of member of a descriptor, for `inspect`. Its set_services fails. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "tests/components/sc_ports.h"

struct wide_port {
    struct sc_data_port data;
    int (*more)(struct wide_port *self);
};

static void *wide_create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    (void)err;
    return malloc(1);
}

static int wide_set_services(void *self, struct cca_services *services,
                             struct cca_error *err)
{
    (void)self;
    (void)services;
    return cca_error_set(err, -ENODEV, "there is no such machine");
}

static const struct cca_port_decl provides[] = {{.name = "data",
                                                 .type = SC_DATA_TYPE,
                                                 .size = sizeof(struct wide_port),
                                                 .max_connections = 1,
                                                 .flags = CCA_PORT_NO_PROXY},
                                                {0}};
static const struct cca_quality quality[] = {
    {.name = "error", .value = 0.25, .compose = CCA_SUM, .command = "make bench"},
    {.name = "robust", .value = 3, .compose = CCA_MIN},
    {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "ScWide",
    .summary = "a \"port\" that has grown",
    .provides = provides,
    .quality = quality,
    .serves = "sc.Nothing/1",
    .flags = CCA_DYNAMIC_PORTS,
    .create = wide_create,
    .set_services = wide_set_services,
    .destroy = free,
};
