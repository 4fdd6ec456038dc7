/* SPDX-License-Identifier: BSD-3-Clause */
/* component.c: the class TauMeasurement, which provides the Measurement and the Counters
 * port. */
#include "framework/cca.h"
#include "tau_port/measurement.h"

#include <errno.h>
#include <string.h>

struct tau {
    struct meas *meas;
    struct cca_services *services;
};

/* The list of metrics: the instance's parameter `metrics`, else the main program's
 * property of the same name. */
static const char *wanted(void *context, int *use_papi)
{
    struct tau *tau = context;
    const char *list = cca_services_param_string(tau->services, "metrics");

    *use_papi = strcmp(cca_services_param_string(tau->services, "papi"), "none") != 0;
    if (!*list)
        list = cca_services_framework_property(tau->services, "metrics");
    return list ? list : "TIME";
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct tau *tau = self;
    int result;

    tau->meas = meas_new(NULL, err);
    if (!tau->meas)
        return -ENOMEM;
    meas_metrics_from(tau->meas, wanted, tau);
    result = cca_services_add_provides_port(services, &meas_port(tau->meas)->base,
                                            "measurement", NULL, err);
    return result ? result
                  : cca_services_add_provides_port(services,
                                                   &meas_counters_port(tau->meas)->base,
                                                   "counters", NULL, err);
}

static void destroy(void *self)
{
    meas_free(((struct tau *)self)->meas);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct tau, services),
    .name = "TauMeasurement",
    .summary = "timers, events, clocks and counters behind the Measurement port",
    CCA_PROVIDES(CCA_PORT("measurement", MEASUREMENT_PORT_TYPE, struct measurement_port),
                 CCA_PORT("counters", COUNTERS_PORT_TYPE, struct counters_port)),
    CCA_PARAMS({.name = "metrics",
                .type = CCA_STRING,
                .value = "",
                .help = "names with commas between; empty: --metrics, else TIME"},
               {.name = "papi",
                .type = CCA_STRING,
                .value = "auto",
                .choices = "auto|none",
                .help = "none: count without PAPI where possible"}),
    .serves = MEASUREMENT_PORT_TYPE "|" COUNTERS_PORT_TYPE,
    .set_services = set_services,
    .destroy = destroy,
};
