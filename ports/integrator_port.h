/* SPDX-License-Identifier: BSD-3-Clause */
/* integrator_port.h: advance a field of the mesh in time. */
#ifndef PORTS_INTEGRATOR_PORT_H
#define PORTS_INTEGRATOR_PORT_H

#include "ports/cca_port.h"

#define INTEGRATOR_PORT_TYPE "shock.IntegratorPort/1"

struct integrator_port {
    struct cca_port base;

    /* Create the integrator's own fields on the mesh; call it after `define` of the mesh
     * port and before `advance`.
     *
     *   field  in  the field of conserved variables, 5 components
     *
     * Returns 0 or a negative errno with `err`. Collective. */
    int (*prepare)(struct integrator_port *self, int field, struct cca_error *err);

    /* Advance `level` and all finer levels by one step of `level`.
     *
     *   dt_s  in  time step, > 0
     *
     * Returns 0; -EDOM if a state lost its positive pressure or density; or another
     * negative errno. Collective. */
    int (*advance)(struct integrator_port *self,
                   CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level, double time_s,
                   double dt_s);

    /* Return the number of ghost layers that the integrator needs in the fields. */
    int (*ghost_needed)(struct integrator_port *self) CCA_UNMEASURED;
};

#endif
