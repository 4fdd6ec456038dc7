/* SPDX-License-Identifier: BSD-3-Clause */
/* counters_port.h: how a component publishes counts of its own work: iterations, bytes,
 * cells.
 *
 * A component that counts has an optional uses port of this type. Where it is connected,
 * each counter is a metric with the name "sde:::COMPONENT::COUNTER", PAPI's name of a
 * software-defined event. */
#ifndef PORTS_COUNTERS_PORT_H
#define PORTS_COUNTERS_PORT_H

#include "ports/cca_port.h"

#define COUNTERS_PORT_TYPE "tau.CountersPort/1"

struct counters_port {
    struct cca_port base;

    /* Publish the counter `name` of `component`, or find it again: all who publish the
     * same two names count together.
     *
     *   component, name  in  letters, digits, '_', '-' and '.'; copied
     *
     * Returns its id, >= 0; -EINVAL another name; -ENOSPC too many; -ENOMEM. Any thread.
     */
    int (*counter)(struct counters_port *self, const char *component, const char *name,
                   struct cca_error *err) CCA_UNMEASURED;

    /* Count `amount` more, in the calling thread: what a call is charged with is what its
     * own thread has counted. Returns 0; -EINVAL unknown id; -ENOMEM. Any thread. */
    int (*add)(struct counters_port *self, int counter, int64_t amount) CCA_UNMEASURED;
};

#endif
