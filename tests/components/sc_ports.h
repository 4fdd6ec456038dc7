/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_ports.h: the port of the classes that test scripts. */
#ifndef TESTS_COMPONENTS_SC_PORTS_H
#define TESTS_COMPONENTS_SC_PORTS_H

#include "ports/cca_port.h"

#define SC_DATA_TYPE "sc.DataPort/1"
#define SC_OLD_DATA_TYPE "sc.DataPort/0"

struct sc_data_port {
    struct cca_port base;
    int (*value)(struct sc_data_port *self);
};

#endif
