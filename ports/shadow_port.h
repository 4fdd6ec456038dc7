/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow_port.h: how the framework gives a proxy rivals, which it calls on copies of the
 * arguments at a sample of calls (the command `shadow`). */
#ifndef PORTS_SHADOW_PORT_H
#define PORTS_SHADOW_PORT_H

#include "ports/dispatch_port.h"

#define SHADOW_PORT_TYPE "cca.ShadowPort/1"
#define SHADOW_PORT_NAME "shadow" /* name of the proxy's provides port */

struct shadow_port {
    struct cca_port base;

    /* Begin shadow calls, in place of those before.
     *
     *   rivals  in  [count]; their ports are borrowed until the next call of `set`, or
     *               until the proxy is destroyed; their strings as well
     *   count   in  0: no shadow calls
     *   rate    in  fraction of the calls with shadow calls, more than 0, at most 1
     *   seed    in  of the sample and of the order of the rivals
     *   err     out message on failure, may be NULL
     *
     * Returns 0; -ENOTSUP: the marks of a method do not contain the size of an argument's
     * array, or a rival lacks a method; or -ENOMEM. After a failure there are no shadow
     * calls. Not collective; no call of the port may be in progress. */
    int (*set)(struct shadow_port *self, const struct dispatch_target *rivals,
               size_t count, double rate, uint64_t seed,
               struct cca_error *err) CCA_UNMEASURED;
};

#endif
