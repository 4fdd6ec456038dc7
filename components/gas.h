/* SPDX-License-Identifier: BSD-3-Clause */
/* gas.h: get gamma from the connected gas, once per call of a port method.
 *
 * The pattern of all shock components: a method gets the ports that it uses when it
 * begins and releases them before it returns. No port is held between two calls, so a
 * script may insert, eject or replace the provider whenever no call is running; the
 * look-up costs tens of nanoseconds in a call that processes a whole patch. Ports are not
 * looked up in set_services: they are connected later. */
#ifndef COMPONENTS_GAS_H
#define COMPONENTS_GAS_H

#include <errno.h>

#include "framework/cca.h"
#include "ports/gas_port.h"

/* Declaration of the uses port `gas`, for CCA_USES. */
#define GAS_USES CCA_REQUIRED("gas", GAS_PORT_TYPE, struct gas_port)

/* Write gamma of the gas at uses port `gas` to `*gamma`. Returns 0, or -ENOTCONN with a
 * message stored in the services. */
static inline int gas_gamma(struct cca_services *services, double *gamma)
{
    CCA_USE(struct gas_port, gas, services, "gas");

    if (!gas)
        return -ENOTCONN;
    *gamma = gas->gamma(gas);
    return 0;
}

#endif
