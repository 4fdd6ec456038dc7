/* SPDX-License-Identifier: BSD-3-Clause */
/* monitor_port.h: how a proxy reports invocations (the Monitor port in section 4.2 of the
 * paper of docs/papers/case-study.md).
 *
 * A proxy opens each method once per connection and then brackets each call:
 *
 *     struct monitor_method *m = ...;                       from method_open
 *     if (!monitor_method_on(m))
 *         return target->compute(target, ...);              switched off: a load and a
 *                                                           branch
 *     union monitor_value in[2] = { { .i = axis }, { .i = (int64_t)nx * ny } }, out[1];
 *     struct monitor_frame *frame = monitor->begin(monitor, m, in);
 *     int result = target->compute(target, ...);
 *     out[0].i = iterations ? *iterations : MONITOR_ABSENT;
 *     monitor->end(monitor, frame, out);
 *
 * The recorder reads its clock last in `begin` and first in `end`, so that the method's
 * own time does not include the work of recording. */
#ifndef PORTS_MONITOR_PORT_H
#define PORTS_MONITOR_PORT_H

#include "ports/cca_port.h"

#define MONITOR_PORT_TYPE "mastermind.MonitorPort/3"

/* Limits; proxygen refuses a method that needs more. In-values are parameters and modes.
 */
#define MONITOR_MAX_IN 16
#define MONITOR_MAX_OUT 8

/* A value of a row; struct monitor_value_decl states which member is used. */
union monitor_value {
    int64_t i;
    double d;
};

enum monitor_type { MONITOR_INT64 = 0, MONITOR_DOUBLE = 1 };

/* Absent values, for instance of a NULL out-pointer: the smallest int64, and a quiet NaN
 * whose payload spells "absent", which differs from a NaN that a method computes. */
#define MONITOR_ABSENT INT64_MIN
#define MONITOR_ABSENT_DOUBLE __builtin_nan("0x616273656e74")
#define MONITOR_ABSENT_BITS INT64_C(0x7ff8616273656e74) /* bits of that NaN */

static inline int monitor_value_absent(union monitor_value value, enum monitor_type type)
{
    return value.i == (type == MONITOR_DOUBLE ? MONITOR_ABSENT_BITS : MONITOR_ABSENT);
}
enum monitor_kind {
    MONITOR_PARAM = 0, /* in-value: a regressor */
    MONITOR_MODE = 1,  /* in-value: a category, always MONITOR_INT64 */
    MONITOR_OUT = 2,   /* out-value: a metric */
    MONITOR_HINT = 3   /* out-value that is known before the call, a result of an earlier
                        * call: no regressor, as it differs between classes, but rules
                        * that choose a class can be about it */
};

/* True for values that follow the in-values: hints, then other out-values. */
static inline int monitor_kind_is_out(enum monitor_kind kind)
{
    return kind >= MONITOR_OUT;
}

struct monitor_label {
    int64_t value;
    const char *text;
};

struct monitor_value_decl {
    const char *name;       /* "Q" */
    const char *expression; /* text of the value's mark as printed by proxygen, "nx * ny";
                             * or NULL */
    enum monitor_type type;
    enum monitor_kind kind;
    const struct monitor_label *labels; /* labels of a mode, or NULL */
    size_t label_count;
};

/* A method as its proxy found it when it was connected. All strings are borrowed for the
 * call; the recorder copies them. */
struct monitor_method_decl {
    const char *instance; /* instance, port and method of the provider behind the proxy */
    const char *port;
    const char *method;
    const char *class_name;
    const char *build_id; /* build id of the provider's shared object; "" if it has
                           * none */
    const char *port_type;
    const struct monitor_value_decl *values; /* in-values, hints, then other out-values,
                                                in the order of begin's and end's
                                                arguments */
    size_t in_count;                         /* <= MONITOR_MAX_IN */
    size_t out_count;                        /* <= MONITOR_MAX_OUT */
};

/* The public head of the recorder's struct for a method. The recorder may write `on` at
 * any time; proxies read it without ordering. */
struct monitor_method {
    int32_t on;
};

/* True if calls of `method` are to be recorded. Any thread. */
static inline int monitor_method_on(const struct monitor_method *method)
{
    return __atomic_load_n(&method->on, __ATOMIC_RELAXED);
}

struct monitor_frame; /* an open invocation; defined by the recorder */

/* A stretch of a thread that is no part of the run; its contents are the recorder's. */
struct monitor_pause {
    uint64_t words[16];
};

struct monitor_port {
    struct cca_port base;

    /* Register a method; every call makes a new one, also for the same names.
     *
     *   decl   in   borrowed for the call
     *   err    out  message on failure, may be NULL
     *
     * Returns the method, borrowed until the provider of this port is destroyed, or NULL
     * with `err`: -EINVAL: too many values or a missing name; -ENOSPC: too many methods;
     * -ENOMEM; or an I/O error. Not collective; any thread. */
    struct monitor_method *(*method_open)(struct monitor_port *self,
                                          const struct monitor_method_decl *decl,
                                          struct cca_error *err)CCA_UNMEASURED;

    /* Open an invocation of `method` in the calling thread.
     *
     *   method  in  from method_open
     *   in      in  in_count values; may be NULL if in_count is 0
     *
     * Returns the frame for `end`, or NULL if this invocation is only counted (recording
     * is switched off, the call is in a signal handler that has interrupted the recorder,
     * or memory is lacking); `end` ignores a NULL. Preserves errno. Never fails
     * otherwise. Any thread. Not collective. */
    struct monitor_frame *(*begin)(struct monitor_port *self,
                                   struct monitor_method *method,
                                   const union monitor_value *in)CCA_UNMEASURED;

    /* Close an invocation in the thread that opened it. Invocations that it has called
     * and that are still open, because longjmp skipped their `end`, are closed, too, with
     * the status "longjmp".
     *
     *   frame  in  result of `begin`, or NULL
     *   out    in  out_count values; may be NULL if out_count is 0
     *
     * Preserves errno. Any thread. Not collective. */
    void (*end)(struct monitor_port *self, struct monitor_frame *frame,
                const union monitor_value *out) CCA_UNMEASURED;

    /* Close an invocation that an exception or a cancellation has left; for cleanup
     * handlers. Its row has no out-values. Otherwise like `end`. */
    void (*unwind)(struct monitor_port *self, struct monitor_frame *frame) CCA_UNMEASURED;

    /* Return the current value of the clock that times invocations, in the clock's own
     * unit. Any thread. */
    uint64_t (*now)(struct monitor_port *self) CCA_UNMEASURED;

    /* Like `end`, for an invocation that ended at `when`, a result of `now`: for callers
     * that need further calls to find the out-values. CPU time and counters are read in
     * the call of end_at. */
    void (*end_at)(struct monitor_port *self, struct monitor_frame *frame,
                   const union monitor_value *out, uint64_t when) CCA_UNMEASURED;

    /* Begin a stretch of the calling thread that is no part of the run, such as a call of
     * another class on copies of the arguments. Until `resume`, calls of this recorder's
     * methods in the thread are neither recorded nor counted, and open invocations stand
     * still: their times and counters exclude the stretch.
     *
     * Returns 0; -EBUSY: the thread is in such a stretch, is not recorded, or is in a
     * signal handler that has interrupted the recorder. Preserves errno. Any thread. */
    int (*pause)(struct monitor_port *self, struct monitor_pause *pause) CCA_UNMEASURED;

    /* End the stretch, in the thread that began it. Does nothing if longjmp has left the
     * stretch, and a recorded call has noticed that. Preserves errno. */
    void (*resume)(struct monitor_port *self, struct monitor_pause *pause) CCA_UNMEASURED;

    /* Return the port of a recorder for calls that are no part of the run, which keeps
     * their rows apart from the rows of the run; NULL with `err`: there is none. Borrowed
     * like the port itself. Not collective; any thread. */
    struct monitor_port *(*apart)(struct monitor_port *self,
                                  struct cca_error *err)CCA_UNMEASURED;
};

#endif
