/* SPDX-License-Identifier: BSD-3-Clause */
/* CharacteristicQuantities.c: characteristic speeds, and the time step they allow. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "components/euler.h"
#include "components/gas.h"
#include "ports/characteristics_port.h"

struct characteristics {
    struct characteristics_port port;
    struct cca_services *services;
};

static int characteristics_time_step(struct characteristics_port *self, int nx, int ny,
                                     const struct mesh_patch *patch, const double *u,
                                     double *dt_s)
{
    struct characteristics *k = cca_container_of(self, struct characteristics, port);
    double gamma = 0., fastest = 0.;
    int code = gas_gamma(k->services, &gamma);

    if (code)
        return code;
    for (int j = 0; j < ny; j++) {
        const double *row = u + (j + patch->ghost) * patch->pitch + patch->ghost;

        for (int i = 0; i < nx; i++) {
            double q[EULER_NVAR], w[EULER_NVAR], c, rate;

            for (int n = 0; n < EULER_NVAR; n++)
                q[n] = row[n * patch->plane + i];
            euler_primitive(gamma, q, w);
            if (!euler_positive(w[EULER_RHO], w[EULER_P]))
                return -EDOM;
            c = euler_sound_speed(gamma, w[EULER_RHO], w[EULER_P]);
            rate =
                (fabs(w[EULER_U]) + c) / patch->dx + (fabs(w[EULER_V]) + c) / patch->dy;
            if (!(rate < HUGE_VAL))
                return -EDOM;
            fastest = fmax(fastest, rate);
        }
    }
    *dt_s = 1. / fastest;
    return 0;
}

static void *characteristics_create(const struct cca_class *cls, struct cca_error *err)
{
    struct characteristics *k = calloc(1, sizeof *k);

    (void)cls;
    if (!k) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    k->port = (struct characteristics_port){
        .base = {CHARACTERISTICS_PORT_TYPE, sizeof(struct characteristics_port)},
        .time_step = characteristics_time_step,
    };
    return k;
}

static int characteristics_set_services(void *self, struct cca_services *services,
                                        struct cca_error *err)
{
    struct characteristics *k = self;

    k->services = services;
    return cca_services_add_provides_port(services, &k->port.base, "characteristics",
                                          NULL, err);
}

static void characteristics_destroy(void *self)
{
    free(self);
}

static const struct cca_port_decl provides[] = {
    {.name = "characteristics",
     .type = CHARACTERISTICS_PORT_TYPE,
     .size = sizeof(struct characteristics_port)},
    {0},
};

static const struct cca_port_decl uses[] = {
    {.name = "gas",
     .type = GAS_PORT_TYPE,
     .size = sizeof(struct gas_port),
     .min_connections = 1},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "CharacteristicQuantities",
    .summary = "characteristic speeds, and the time step they allow",
    .provides = provides,
    .uses = uses,
    .create = characteristics_create,
    .set_services = characteristics_set_services,
    .destroy = characteristics_destroy,
};
