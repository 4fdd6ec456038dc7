/* SPDX-License-Identifier: BSD-3-Clause */
/* The port of the tutorial: sort an array of numbers. */
#ifndef SORT_PORT_H
#define SORT_PORT_H

#include "ports/cca_port.h"

#define SORT_PORT_TYPE "tutorial.SortPort/1"

struct sort_port {
    struct cca_port base;

    /* Sort `n` numbers in place, ascending.
     *
     *   moves  out  numbers moved; may be NULL
     *
     * Returns 0; -ENOMEM. */
    int (*sort)(struct sort_port *self, CCA_PARAM int n, double *numbers,
                CCA_OUT_PARAM int64_t *moves);
};

#endif
