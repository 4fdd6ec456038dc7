/* SPDX-License-Identifier: BSD-3-Clause */
/* CharacteristicQuantities.c: characteristic speeds of the gas, and the time step that
 * they allow. */
#include <errno.h>
#include <math.h>

#include "components/euler.h"
#include "components/gas.h"
#include "ports/characteristics_port_signature.h"
#include "ports/gas_port_signature.h"

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

static const struct characteristics_port port = {
    .base = {CHARACTERISTICS_PORT_TYPE, sizeof port},
    .time_step = characteristics_time_step};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct characteristics, services),
    .name = "CharacteristicQuantities",
    .summary = "characteristic speeds, and the time step they allow",
    CCA_SIGNATURES(CHARACTERISTICS_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS(
        {"characteristics", offsetof(struct characteristics, port), &port.base}),
    CCA_USES(GAS_USES),
};
