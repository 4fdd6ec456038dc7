/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch_port.h: how the framework gives a proxy several classes of one port to choose
 * from in each call (the command `dispatch`).
 *
 * The proxy decides by rules: the first rule of the called method whose conditions hold
 * names the target of the call. If none holds, the call goes to target 0, the port that
 * the proxy fronts. Conditions are about in-values of the method, as its marks define
 * them. */
#ifndef PORTS_DISPATCH_PORT_H
#define PORTS_DISPATCH_PORT_H

#include "ports/cca_port.h"

#define DISPATCH_PORT_TYPE "cca.DispatchPort/1"
#define DISPATCH_PORT_NAME "dispatch" /* name of the proxy's provides port */

/* A provides port to which calls may go. Strings are borrowed as long as the rules are
 * in force. */
struct dispatch_target {
    struct cca_port *port;
    const char *instance;
    const char *port_name;
    const char *class_name;
    const char *build_id; /* build id of the shared object; "" if it has none */
};

enum dispatch_relation {
    DISPATCH_EQUAL,
    DISPATCH_UNEQUAL,
    DISPATCH_LESS,
    DISPATCH_AT_MOST,
    DISPATCH_MORE,
    DISPATCH_AT_LEAST
};

/* A condition, "Q <= 640"; false for an absent value. */
struct dispatch_condition {
    const char *value; /* name of an in-value */
    enum dispatch_relation relation;
    const char *bound; /* a number; for a mode also one of its labels */
};

struct dispatch_rule {
    int line; /* line of the rule in its file, for messages */
    const char *method;
    const struct dispatch_condition *conditions; /* all must hold; none: always */
    size_t condition_count;
    size_t target; /* index of a target */
};

struct dispatch_port {
    struct cca_port base;

    /* Put rules in force, in place of those before.
     *
     *   targets       in   their ports are borrowed until the next call of `set`, or
     *                      until the proxy is destroyed; targets[0] is the port that the
     *                      proxy fronts
     *   target_count  in   >= 1; 1 and no rules: all calls go to the fronted port
     *   rules         in   borrowed for the call
     *   line          out  line of the rule that is wrong, else 0
     *   err           out  message on failure, may be NULL
     *
     * Returns 0; -EINVAL: a rule names an unknown method or value, a bound is no number,
     * a target lacks the method, or there are too many conditions; -ENOTSUP: the proxy
     * cannot read the port's struct; -ENOMEM. After a failure the rules are as before.
     * Not collective; no call of the port may be in progress. */
    int (*set)(struct dispatch_port *self, const struct dispatch_target *targets,
               size_t target_count, const struct dispatch_rule *rules, size_t rule_count,
               int *line, struct cca_error *err) CCA_UNMEASURED;
};

#endif
