/* SPDX-License-Identifier: BSD-3-Clause */
/* co_work_port.h: the port of classes whose costs are known loops. */
#ifndef TESTS_COMPONENTS_CO_WORK_PORT_H
#define TESTS_COMPONENTS_CO_WORK_PORT_H

#include "ports/cca_port.h"

#define CO_WORK_PORT_TYPE "co.WorkPort/1"

struct co_work_port {
    struct cca_port base;
    /* Work on `n` numbers. A preconditioner returns 1 in the iteration that is the last,
     * all others 0. */
    int (*work)(struct co_work_port *self, CCA_PARAM int n);
};

#endif
