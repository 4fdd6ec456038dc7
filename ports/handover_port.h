/* SPDX-License-Identifier: BSD-3-Clause */
/* handover_port.h: how a class with state hands it over to another class that takes its
 * place while the program runs (the command `swap`). A class whose calls are independent
 * (CCA_PORT_INDEPENDENT) needs no such port. */
#ifndef PORTS_HANDOVER_PORT_H
#define PORTS_HANDOVER_PORT_H

#include "ports/cca_port.h"

#define HANDOVER_PORT_TYPE "cca.HandoverPort/1"

struct handover_port {
    struct cca_port base;

    /* Return the name of the layout of the bytes, such as "sum of doubles/1": an instance
     * takes bytes of its own layout only. Static storage. */
    const char *(*layout)(struct handover_port *self)CCA_UNMEASURED;

    /* Write the state of the instance, which remains as it is: the swap may still fail.
     *
     *   bytes  out  new, from malloc; the caller frees it
     *   size   out  number of bytes
     *
     * Returns 0, or a negative errno with `err`; the instance then stays in its place.
     * Not collective. No call of another port of the instance is in progress. */
    int (*give)(struct handover_port *self, void **bytes, size_t *size,
                struct cca_error *err) CCA_UNMEASURED;

    /* Replace the state of the instance by the bytes of `give` of another class.
     * Returns and is called like `give`; after a failure the instance is not used. */
    int (*take)(struct handover_port *self, const void *bytes, size_t size,
                struct cca_error *err) CCA_UNMEASURED;
};

#endif
