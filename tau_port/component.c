/* SPDX-License-Identifier: BSD-3-Clause */
/* component.c: the class TauMeasurement, which provides the Measurement port. */
#include "framework/cca.h"
#include "tau_port/measurement.h"

static void *create(const struct cca_class *cls, struct cca_error *err)
{
    (void)cls;
    return meas_new(NULL, err);
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    return cca_services_add_provides_port(services, &meas_port(self)->base, "measurement",
                                          NULL, err);
}

static void destroy(void *self)
{
    meas_free(self);
}

static const struct cca_port_decl provides[] = {
    {.name = "measurement",
     .type = MEASUREMENT_PORT_TYPE,
     .size = sizeof(struct measurement_port)},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "TauMeasurement",
    .summary = "timers, events and clocks behind the Measurement port",
    .provides = provides,
    .serves = MEASUREMENT_PORT_TYPE,
    .create = create,
    .set_services = set_services,
    .destroy = destroy,
};
