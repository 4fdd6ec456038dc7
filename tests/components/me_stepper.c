/* SPDX-License-Identifier: BSD-3-Clause */
/* me_stepper.c: a Go port that calls up to three flux ports one after the other, in each
 * of its steps. */
#include "framework/cca.h"
#include "ports/flux_port.h"
#include "ports/go_port.h"

struct stepper {
    struct go_port go;
    struct cca_services *services;
};

static int go(struct go_port *self)
{
    struct stepper *stepper = cca_container_of(self, struct stepper, go);
    const int64_t steps = cca_services_param_long(stepper->services, "steps");
    CCA_USE(struct flux_port, a, stepper->services, "a");
    CCA_USE_OPTIONAL(struct flux_port, b, stepper->services, "b");
    CCA_USE_OPTIONAL(struct flux_port, c, stepper->services, "c");
    struct flux_port *const ports[] = {a, b, c};
    const int nx[] = {(int)cca_services_param_long(stepper->services, "nx_a"),
                      (int)cca_services_param_long(stepper->services, "nx_b"), 0};

    for (int64_t i = 0; i < steps; i++)
        for (int k = 0; k < 3; k++)
            if (ports[k])
                ports[k]->compute(ports[k], 0, nx[k], 1, -1, NULL, NULL, NULL, NULL,
                                  NULL);
    return 0;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct stepper, services),
    .name = "Stepper",
    CCA_IMPLEMENTS({"go", offsetof(struct stepper, go), &port.base}),
    CCA_USES(CCA_REQUIRED("a", FLUX_PORT_TYPE, struct flux_port),
             CCA_PORT("b", FLUX_PORT_TYPE, struct flux_port),
             CCA_PORT("c", FLUX_PORT_TYPE, struct flux_port)),
    CCA_PARAMS({.name = "steps", .type = CCA_LONG, .value = "200"},
               {.name = "nx_a", .type = CCA_INT, .value = "100"},
               {.name = "nx_b", .type = CCA_INT, .value = "100"}),
};
