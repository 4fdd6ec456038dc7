/* SPDX-License-Identifier: BSD-3-Clause */
/* slot_port.h: how the framework exchanges the target of a proxy while calls are made
 * (the command `swap`).
 *
 *     arm ─▶ calls are counted ─▶ close ─▶ no call is in progress ─▶ move ─▶ open
 *
 * All functions but `arm` may be called while other threads call the proxy's port. */
#ifndef PORTS_SLOT_PORT_H
#define PORTS_SLOT_PORT_H

#include "ports/dispatch_port.h"

#define SLOT_PORT_TYPE "cca.SlotPort/1"
#define SLOT_PORT_NAME "slot" /* name of the proxy's provides port */

struct slot_port {
    struct cca_port base;

    /* Count the calls in progress from now on.
     *
     *   target  in  the port that the proxy fronts; strings are borrowed as long as it is
     *               the target
     *
     * Returns 0, also if calls are counted already; -ENOTSUP: the proxy cannot read the
     * port's struct; -ENOMEM. Not collective; no call of the port may be in progress. */
    int (*arm)(struct slot_port *self, const struct dispatch_target *target,
               struct cca_error *err) CCA_UNMEASURED;

    /* Let new calls wait, and wait until the calls in progress have ended. The calling
     * thread's own new calls do not wait.
     *
     *   patience_s  in  longest time to wait, seconds, >= 0
     *
     * Returns 0; -EBUSY: calls were still in progress at the end of that time; -EDEADLK:
     * the calling thread is inside a call of the port; -EINVAL: not armed. After a
     * failure the port is open. Framework's thread. */
    int (*close)(struct slot_port *self, double patience_s,
                 struct cca_error *err) CCA_UNMEASURED;

    /* Exchange the target, for all methods, while the port is closed. A move back to the
     * target before, without `open` between, cannot fail.
     *
     *   target  in  strings and port are borrowed until `open` after the next `move`
     *
     * Returns 0; -EINVAL: the port is not closed, or the new target lacks a method that
     * users of the port have; -EIO or the recorder's error: calls of the target cannot be
     * recorded. After a failure the target is as before. Framework's thread. */
    int (*move)(struct slot_port *self, const struct dispatch_target *target,
                struct cca_error *err) CCA_UNMEASURED;

    /* Let calls go on. Framework's thread. */
    void (*open)(struct slot_port *self) CCA_UNMEASURED;
};

#endif
