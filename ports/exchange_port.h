/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_port.h: messages between the ranks of an assembly and reductions over them,
 * for components that do not use MPI themselves. A class uses a port of this type; the
 * framework connects it where the assembly runs on ranks, and leaves it unconnected
 * elsewhere: declare it as optional.
 *
 * If another rank fails, waiting calls return -ECANCELED, all messages in flight are
 * lost, and the component returns -ECANCELED from its own method. Messages of different
 * instances do not mix: the first send, receive or reduction of an instance creates its
 * communicator and waits for all ranks, so call `barrier` first if a rank may have no
 * message at that point. Call all functions in the framework's thread. */
#ifndef PORTS_EXCHANGE_PORT_H
#define PORTS_EXCHANGE_PORT_H

#include "ports/cca_port.h"

#define EXCHANGE_PORT_TYPE "cca.ExchangePort/1"

struct exchange_port {
    struct cca_port base;

    /* Return the number of this rank, 0 to size - 1. Any thread. */
    int (*rank)(struct exchange_port *self) CCA_UNMEASURED;
    int (*size)(struct exchange_port *self) CCA_UNMEASURED;

    /* Start to send `size` bytes to a rank, or to receive exactly as many bytes from it.
     * Messages from one rank to another with the same tag arrive in order.
     *
     *   bytes  in, out  caller's memory, not to be used until `wait` has returned
     *   tag    in       0 to 32767
     *
     * Returns 0; -EINVAL no such rank or tag, or more than 2^31 - 1 bytes; -ECANCELED;
     * -ENOMEM; -EIO. */
    int (*send)(struct exchange_port *self, int to, int tag, const void *bytes,
                size_t size) CCA_UNMEASURED;
    int (*receive)(struct exchange_port *self, int from, int tag, void *bytes,
                   size_t size) CCA_UNMEASURED;
    /* Wait until all started sends and receives are complete. Returns 0; -ECANCELED;
     * -EBADMSG: a message of another size arrived; -EIO. */
    int (*wait)(struct exchange_port *self) CCA_UNMEASURED;

    /* Replace each of `count` values by its minimum, or its sum, over all ranks; the
     * results are the same on all ranks. Returns 0; -EINVAL, -ECANCELED, -EIO: the values
     * are then undefined. Collective. */
    int (*minimum)(struct exchange_port *self, double *values, int count) CCA_UNMEASURED;
    int (*sum)(struct exchange_port *self, int64_t *values, int count) CCA_UNMEASURED;

    /* `broadcast` copies `size` bytes from rank `root` to all ranks, `barrier` waits for
     * all ranks. Both return like `minimum`. Collective. */
    int (*broadcast)(struct exchange_port *self, int root, void *bytes,
                     size_t size) CCA_UNMEASURED;
    int (*barrier)(struct exchange_port *self) CCA_UNMEASURED;
};

#endif
