/* SPDX-License-Identifier: BSD-3-Clause */
/* component.c: the class TauMeasurement, which provides the Measurement and the Counters
 * port. */
#include "framework/cca.h"
#include "tau_port/measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tau {
    struct meas *meas;
    struct cca_services *services;
};

/* A parameter of the instance, else the property of the same name of the main program. */
static const char *wanted(void *context, int *use_papi)
{
    struct tau *tau = context;
    const char *list = cca_services_param_string(tau->services, "metrics");

    *use_papi = strcmp(cca_services_param_string(tau->services, "papi"), "none") != 0;
    if (!*list)
        list = cca_services_framework_property(tau->services, "metrics");
    return list ? list : "TIME";
}

static void *create(const struct cca_class *cls, struct cca_error *err)
{
    struct tau *tau = calloc(1, sizeof *tau);

    (void)cls;
    if (!tau) {
        cca_no_memory(err);
        return NULL;
    }
    tau->meas = meas_new(NULL, err);
    if (!tau->meas) {
        free(tau);
        return NULL;
    }
    meas_metrics_from(tau->meas, wanted, tau);
    return tau;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct tau *tau = self;
    int result;

    tau->services = services;
    result = cca_services_add_provides_port(services, &meas_port(tau->meas)->base,
                                            "measurement", NULL, err);
    return result ? result
                  : cca_services_add_provides_port(services,
                                                   &meas_counters_port(tau->meas)->base,
                                                   "counters", NULL, err);
}

static void destroy(void *self)
{
    struct tau *tau = self;

    meas_free(tau->meas);
    free(tau);
}

static const struct cca_port_decl provides[] = {
    {.name = "measurement",
     .type = MEASUREMENT_PORT_TYPE,
     .size = sizeof(struct measurement_port)},
    {.name = "counters",
     .type = COUNTERS_PORT_TYPE,
     .size = sizeof(struct counters_port)},
    {0},
};
static const struct cca_param_decl params[] = {
    {.name = "metrics",
     .type = CCA_STRING,
     .value = "",
     .help = "names with commas between; empty: --metrics, else TIME"},
    {.name = "papi",
     .type = CCA_STRING,
     .value = "auto",
     .choices = "auto|none",
     .help = "none: count without PAPI what can be"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "TauMeasurement",
    .summary = "timers, events, clocks and counters behind the Measurement port",
    .provides = provides,
    .params = params,
    .serves = MEASUREMENT_PORT_TYPE "|" COUNTERS_PORT_TYPE,
    .create = create,
    .set_services = set_services,
    .destroy = destroy,
};
