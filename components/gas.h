/* SPDX-License-Identifier: BSD-3-Clause */
/* gas.h: gamma from the connected gas, once per call of a port method.
 *
 * The pattern of all shock components: a method gets the ports that it uses when it
 * begins and releases them before it returns. Nothing is held between two calls, so a
 * script may insert, eject or exchange what is connected whenever no call is under way;
 * the look-up costs tens of nanoseconds for a call that works through a whole patch.
 * Ports are not looked up in set_services: they are connected later. */
#ifndef COMPONENTS_GAS_H
#define COMPONENTS_GAS_H

#include <errno.h>

#include "framework/cca.h"
#include "ports/gas_port.h"

/* The uses port, for CCA_USES. */
#define GAS_USES CCA_REQUIRED("gas", GAS_PORT_TYPE, struct gas_port)

/* gamma of the gas at uses port `gas`, into `*gamma`. Returns 0, or -ENOTCONN with words
 * left in the services. */
static inline int gas_gamma(struct cca_services *services, double *gamma)
{
    CCA_USE(struct gas_port, gas, services, "gas");

    if (!gas)
        return -ENOTCONN;
    *gamma = gas->gamma(gas);
    return 0;
}

#endif
