/* SPDX-License-Identifier: BSD-3-Clause */
/* go_port.h: start a component's work (CCA's standard GoPort). */
#ifndef PORTS_GO_PORT_H
#define PORTS_GO_PORT_H

#include "ports/cca_port.h"

#define GO_PORT_TYPE "gov.cca.ports.GoPort/1"

struct go_port {
    struct cca_port base;

    /* Do the work of the component and return when it is done.
     *
     * Returns 0 on success, a negative errno if the component failed (call
     * cca_services_fail with the reason first), or a positive number of the component's
     * own for any other failure. Collective over the ranks. One call per self at a time.
     */
    int (*go)(struct go_port *self);
};

#endif
