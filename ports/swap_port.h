/* SPDX-License-Identifier: BSD-3-Clause */
/* swap_port.h: exchange the class behind a provides port while the program runs, for
 * components that know when (the command `swap` uses the same functions). A class uses a
 * port of this type; the framework connects it.
 *
 * A swap is a transaction. Calls wait while it runs; if one of its steps fails, on any
 * rank, the class before stays connected, and the run goes on. It happens only when a
 * component calls `step`, or between two calls of Go ports. */
#ifndef PORTS_SWAP_PORT_H
#define PORTS_SWAP_PORT_H

#include "ports/cca_port.h"

#define SWAP_PORT_TYPE "cca.SwapPort/1"

/* Steps of a swap, in their order. */
enum swap_stage {
    SWAP_CHECK,   /* the class may replace the one before */
    SWAP_MAKE,    /* an instance of it exists, with the same connections and parameters */
    SWAP_READY,   /* all ranks have come so far */
    SWAP_CLOSE,   /* new calls wait, calls in progress have ended */
    SWAP_GIVE,    /* the instance before has written its state */
    SWAP_TAKE,    /* the new instance has read it */
    SWAP_CONNECT, /* calls go to the new instance */
    SWAP_AGREE,   /* all ranks have come so far; then calls go on */
    SWAP_STAGES
};

/* A swap that was tried. Strings are borrowed for the life of the framework. */
struct swap_outcome {
    const char *instance;    /* as the script names it */
    const char *from, *to;   /* classes */
    const char *to_instance; /* instance of class `to`, whose calls have its name; "" if
                              * it was not made */
    const char *reason;
    int64_t step;            /* number of calls of `step` before it */
    int status;              /* 0; or a negative errno: class `from` stays */
    enum swap_stage stage;   /* the last step, or the step that failed */
    const char *text;        /* cause of the failure; "" */
    int64_t ns[SWAP_STAGES]; /* wall time of each step */
};

struct swap_port {
    struct cca_port base;

    /* Request a swap at the next call of `step`, in place of an earlier request for
     * this instance; a swap by the script at some step stays. The script must have made
     * the slot by the command `swap` or `watch`.
     *
     *   instance    in  as the script names it, also after earlier swaps
     *   class_name  in  class to put in its place; its own class: swap back
     *   reason      in  a line for the reports; NULL: none
     *
     * Strings are copied. Returns 0; -ENOENT: no such instance or class; -EINVAL: the
     * instance is no slot, or the class cannot replace its class; -ENOTSUP:
     * a port of the instance has rules or shadow calls; -ENOMEM. All ranks must
     * request the same before the same step; otherwise no swap is made, and the outcome
     * has the reason. Framework's thread. */
    int (*request)(struct swap_port *self, const char *instance, const char *class_name,
                   const char *reason, struct cca_error *err) CCA_UNMEASURED;

    /* Announce a point of the run at which classes may be exchanged, such as the begin of
     * a coarse time step, outside of all calls of ports that may be swapped. Other
     * threads may call them.
     *
     * Returns the number of swaps made, or -ECANCELED: another rank has failed. Swaps
     * that failed are no error. Collective. Framework's thread. */
    int (*step)(struct swap_port *self) CCA_UNMEASURED;

    /* Get the outcome with index `index`, in their order. Returns 0, or -ENOENT beyond
     * the last. */
    int (*outcome)(struct swap_port *self, size_t index,
                   const struct swap_outcome **outcome) CCA_UNMEASURED;
};

#endif
