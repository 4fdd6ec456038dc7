/* SPDX-License-Identifier: BSD-3-Clause */
/* sort_port.h: sort numbers. */
#ifndef SORT_PORT_H
#define SORT_PORT_H

#include "ports/cca_port.h"

#define SORT_PORT_TYPE "example.SortPort/1"

struct sort_port {
    struct cca_port base;

    /* Sort numbers in place, ascending.
     *
     *   n     in     number of keys, >= 0
     *   keys  inout  [n]
     *
     * Returns 0 or -ENOMEM; then `keys` is unchanged. Not collective; any thread. */
    int (*sort)(struct sort_port *self, CCA_PARAM int n, uint32_t *keys);
};

#endif
