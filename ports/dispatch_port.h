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

#define DISPATCH_PORT_TYPE "cca.DispatchPort/2"
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

/* The predicted cost of a rule's calls with one of the targets: `ns` where the parameter
 * `value` is `at`, and growing with that power of it. */
struct dispatch_cost {
    int line;          /* line in the file, for messages */
    size_t rule;       /* index of the rule */
    size_t target;     /* index of the target */
    double ns;         /* > 0 */
    double half;       /* half of its 90 % interval, as a share of `ns` */
    const char *value; /* name of an in-value that is a parameter; NULL: the same for all
                        * calls of the rule */
    double at, power;
};

/* How rules are corrected by the costs of the calls. */
struct dispatch_learning {
    double limit; /* share of the time that this may lose; 0: rules stay as they are */
    const struct dispatch_cost *costs;
    size_t cost_count;
};

enum dispatch_reason {
    DISPATCH_CHEAPER, /* the other class costs less, with certainty */
    DISPATCH_STOPPED  /* the rules have lost more than the limit allows */
};

/* A rule whose calls go to another target from now on. */
struct dispatch_change {
    int line;                      /* line of the rule in its file */
    uint64_t call;                 /* number of calls of the method so far */
    size_t from, to;               /* indexes of targets */
    double from_ns, to_ns;         /* cost of a call of the rule */
    uint64_t from_calls, to_calls; /* number of calls that were timed */
    enum dispatch_reason reason;
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
     *   learning      in   borrowed for the call; NULL: rules stay as they are
     *   line          out  line of the rule that is wrong, else 0
     *   err           out  message on failure, may be NULL
     *
     * Returns 0; -EINVAL: a rule names an unknown method or value, a bound is no number,
     * a target lacks the method, or there are too many conditions; -ENOTSUP: the proxy
     * cannot read the port's struct; -ENOMEM. After a failure the rules are as before.
     * Not collective; no call of the port may be in progress. */
    int (*set)(struct dispatch_port *self, const struct dispatch_target *targets,
               size_t target_count, const struct dispatch_rule *rules, size_t rule_count,
               const struct dispatch_learning *learning, int *line,
               struct cca_error *err) CCA_UNMEASURED;

    /* Move the changes that learning has made since the last call to `changes`, at most
     * `room`, method by method. Returns their number. Of a method, the first 64 between
     * two calls are kept. Not collective; any thread. */
    size_t (*changes)(struct dispatch_port *self, struct dispatch_change *changes,
                      size_t room) CCA_UNMEASURED;
};

#endif
