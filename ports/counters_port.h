/* SPDX-License-Identifier: BSD-3-Clause */
/* counters_port.h: publish counts of a component's own work: iterations, bytes, cells.
 *
 * A counting component has an optional uses port of this type. If it is connected, each
 * counter becomes a metric "sde:::COMPONENT::COUNTER", which is PAPI's syntax for
 * software-defined events. */
#ifndef PORTS_COUNTERS_PORT_H
#define PORTS_COUNTERS_PORT_H

#include "ports/cca_port.h"

#define COUNTERS_PORT_TYPE "tau.CountersPort/1"

struct counters_port {
    struct cca_port base;

    /* Publish the counter `name` of `component`, or find it: components that publish the
     * same two names share the counter.
     *
     *   component, name  in  letters, digits, '_', '-' and '.'; copied
     *
     * Returns the counter's id, >= 0; -EINVAL: an invalid name; -ENOSPC: too many
     * counters; -ENOMEM. Any thread.
     */
    int (*counter)(struct counters_port *self, const char *component, const char *name,
                   struct cca_error *err) CCA_UNMEASURED;

    /* Add `amount` to a counter, for the calling thread; an invocation is charged with
     * the counts of its own thread. Returns 0; -EINVAL: an unknown id; -ENOMEM. Any
     * thread. */
    int (*add)(struct counters_port *self, int counter, int64_t amount) CCA_UNMEASURED;
};

#endif
