/* SPDX-License-Identifier: BSD-3-Clause */
/* monitor_port.h: how a proxy reports invocations (the Monitor port of the paper, 4.2).
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
 * The recorder reads its clock last in `begin` and first in `end`: nothing of the work of
 * taking parameters or keeping rows is in the method's own time. */
#ifndef PORTS_MONITOR_PORT_H
#define PORTS_MONITOR_PORT_H

#include "ports/cca_port.h"

#define MONITOR_PORT_TYPE "mastermind.MonitorPort/2"

/* Limits; proxygen refuses a method that needs more. In-values are parameters and modes.
 */
#define MONITOR_MAX_IN 16
#define MONITOR_MAX_OUT 8

/* A value of a row: which member counts is said once, in struct monitor_value_decl. */
union monitor_value {
    int64_t i;
    double d;
};

enum monitor_type { MONITOR_INT64 = 0, MONITOR_DOUBLE = 1 };

/* What a value is where there is none, as where an out-pointer is NULL: the smallest
 * int64, and a quiet NaN whose payload spells "absent", so that a NaN that a method has
 * computed remains one. */
#define MONITOR_ABSENT INT64_MIN
#define MONITOR_ABSENT_DOUBLE __builtin_nan("0x616273656e74")
#define MONITOR_ABSENT_BITS INT64_C(0x7ff8616273656e74) /* of MONITOR_ABSENT_DOUBLE */

static inline int monitor_value_absent(union monitor_value value, enum monitor_type type)
{
    return value.i == (type == MONITOR_DOUBLE ? MONITOR_ABSENT_BITS : MONITOR_ABSENT);
}
enum monitor_kind {
    MONITOR_PARAM = 0, /* in-value: a regressor */
    MONITOR_MODE = 1,  /* in-value: a category, always MONITOR_INT64 */
    MONITOR_OUT = 2    /* out-value: a metric */
};

struct monitor_label {
    int64_t value;
    const char *text;
};

struct monitor_value_decl {
    const char *name; /* "Q" */
    const char
        *expression; /* "nx * ny", the mark-up as re-printed by proxygen, or NULL */
    enum monitor_type type;
    enum monitor_kind kind;
    const struct monitor_label *labels; /* of a mode, or NULL */
    size_t label_count;
};

/* A method as its proxy found it at connection time. All strings are borrowed for the
 * call only: the recorder copies what it keeps. */
struct monitor_method_decl {
    const char *instance; /* the triple of the provider behind the proxy */
    const char *port;
    const char *method;
    const char *class_name;
    const char *build_id; /* of the provider's shared object; "" if it has none */
    const char *port_type;
    const struct monitor_value_decl
        *values;      /* in-values in order, then out-values in order */
    size_t in_count;  /* <= MONITOR_MAX_IN */
    size_t out_count; /* <= MONITOR_MAX_OUT */
};

/* The visible head of a method that the recorder keeps. `on` is written by the recorder
 * at any time and read by proxies without ordering. */
struct monitor_method {
    int32_t on;
};

/* True while calls of `method` are to be bracketed. Any thread. */
static inline int monitor_method_on(const struct monitor_method *method)
{
    return __atomic_load_n(&method->on, __ATOMIC_RELAXED);
}

struct monitor_frame; /* an open invocation; the recorder's own */

struct monitor_port {
    struct cca_port base;

    /* Make a method known; every call makes a new one, also for the same names.
     *
     *   decl   in   borrowed for the call
     *   err    out  words on failure, may be NULL
     *
     * Returns the method, borrowed until the provider of this port is destroyed, or NULL:
     * -EINVAL too many values or a missing name, -ENOSPC too many methods, -ENOMEM, or an
     * I/O error. Not collective; any thread. */
    struct monitor_method *(*method_open)(struct monitor_port *self,
                                          const struct monitor_method_decl *decl,
                                          struct cca_error *err)CCA_UNMEASURED;

    /* Open an invocation of `method` in the calling thread.
     *
     *   method  in  from method_open
     *   in      in  in_count values; may be NULL where in_count is 0
     *
     * Returns the frame for end, or NULL when this invocation is not recorded (switched
     * off, nested in a signal handler, out of memory; counted): end takes NULL and does
     * nothing. Preserves errno. Never fails otherwise. Any thread. Not collective. */
    struct monitor_frame *(*begin)(struct monitor_port *self,
                                   struct monitor_method *method,
                                   const union monitor_value *in)CCA_UNMEASURED;

    /* Close an invocation in the thread that opened it. Frames above it that are still
     * open (skipped by longjmp) are closed with that status.
     *
     *   frame  in  from begin, or NULL
     *   out    in  out_count values; may be NULL where out_count is 0
     *
     * Preserves errno. Any thread. Not collective. */
    void (*end)(struct monitor_port *self, struct monitor_frame *frame,
                const union monitor_value *out) CCA_UNMEASURED;

    /* Close an invocation that an exception or a cancellation left; for cleanup handlers.
     * Out-values are absent in its row. Otherwise as end. */
    void (*unwind)(struct monitor_port *self, struct monitor_frame *frame) CCA_UNMEASURED;

    /* The clock that invocations are measured with, in its own unit. Any thread. */
    uint64_t (*now)(struct monitor_port *self) CCA_UNMEASURED;

    /* As end, for an invocation that ended at `when`, a time from `now`: for callers that
     * have something to ask before they know the out-values. CPU time and counters are
     * those of the call of end_at. */
    void (*end_at)(struct monitor_port *self, struct monitor_frame *frame,
                   const union monitor_value *out, uint64_t when) CCA_UNMEASURED;
};

#endif
