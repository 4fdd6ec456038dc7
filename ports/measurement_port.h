/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement_port.h: timers, events, their control, and queries of cumulative values
 * (the MeasurementPort in section 4.1 of the paper of docs/papers/case-study.md). */
#ifndef PORTS_MEASUREMENT_PORT_H
#define PORTS_MEASUREMENT_PORT_H

#include "ports/cca_port.h"

#define MEASUREMENT_PORT_TYPE "tau.MeasurementPort/1"

/* A value that could not be read. */
#define MEASUREMENT_MISSING INT64_MIN

/* Cumulative values of one timer over all threads. Times are of metric 0, nanoseconds. */
struct measurement_timer_values {
    int64_t calls;        /* starts */
    int64_t subroutines;  /* number of starts of other timers while this timer was the
                             innermost; recursive starts are not counted */
    int64_t inclusive_ns; /* inclusive time of the timer; with recursion, of the
                           * outermost activations only */
    int64_t exclusive_ns;
};

/* Cumulative values of an atomic event over all threads, as in that paper: number of
 * entries, minimum, maximum, mean, standard deviation. */
struct measurement_event_values {
    int64_t count;
    double min, max, mean;     /* 0 if count is 0 */
    double standard_deviation; /* standard deviation of the sample, with divisor count
                                * - 1; 0 with fewer than two entries */
};

struct measurement_port {
    struct cca_port base;

    /* Timing: create the timer `name` in `group` ("" is no group), or find it. Returns
     * the timer's id, >= 0; -EINVAL: an empty name; -ENOSPC: too many timers; -ENOMEM.
     * Any thread. */
    int (*timer)(struct measurement_port *self, const char *name, const char *group,
                 struct cca_error *err) CCA_UNMEASURED;

    /* Start and stop a timer in the calling thread. Timers nest: `stop` takes the id of
     * the timer that was started last. Returns 0; -EINVAL: an unknown id; `start` also
     * -ENOMEM; `stop` also -EPROTO if another timer was started last (no timer is stopped
     * then). For a timer of a disabled group both return 0 and count nothing; the
     * matching call of `stop` is still required. Timers that are running when their
     * thread ends are stopped. */
    int (*start)(struct measurement_port *self, int timer) CCA_UNMEASURED;
    int (*stop)(struct measurement_port *self, int timer) CCA_UNMEASURED;

    /* Events: create or find the atomic event `name`. Returns like `timer`. */
    int (*event)(struct measurement_port *self, const char *name,
                 struct cca_error *err) CCA_UNMEASURED;

    /* Enter a value into an event. Returns 0; -EINVAL: an unknown id, or a value that is
     * not finite; -ENOMEM. Any thread. */
    int (*trigger)(struct measurement_port *self, int event, double value) CCA_UNMEASURED;

    /* Control: switch all timers of a group on (1) or off (0), also timers that are
     * created later. Running timers of the group go on until they stop. If MPI is
     * measured, its functions are timers of the group "MPI", "MPI_Send()": switching the
     * group also switches mpi_time, for all threads. Returns 0 or -ENOMEM. Any thread. */
    int (*enable_group)(struct measurement_port *self, const char *group,
                        int on) CCA_UNMEASURED;

    /* Query: the number of metrics, and their names and units; metric 0 is wall time.
     * Names are those of TAU and PAPI ("TIME", "CPU_TIME" of the thread,
     * "PROCESS_CPU_TIME", "PAPI_TOT_CYC", "perf::PAGE-FAULTS",
     * "sde:::godunov::riemann_iterations"); `unit` "ns" or "count". CPU_TIME, if
     * available, is metric 1. The first query of metrics fixes the list. metric_name
     * returns NULL beyond the last. Strings are borrowed from the port. */
    int (*metric_count)(struct measurement_port *self) CCA_UNMEASURED;
    const char *(*metric_name)(struct measurement_port *self, int metric,
                               const char **unit)CCA_UNMEASURED;

    /* Query: requested metrics without values, and the reason: metrics that cannot be
     * measured, which are not in the list of metrics, and counters that no component
     * publishes now. Returns the name of such a metric, NULL beyond the last. Borrowed
     * until the next call. */
    const char *(*missing_metric)(struct measurement_port *self, int index,
                                  const char **why)CCA_UNMEASURED;

    /* Query: current cumulative values of the metrics `first` to `first + count - 1` in
     * the calling thread (PROCESS_CPU_TIME: in the process). An unavailable value is
     * MEASUREMENT_MISSING, never 0. Preserves errno. Any thread.
     *
     *   values  out  [count] */
    void (*read)(struct measurement_port *self, int first, int count,
                 int64_t *values) CCA_UNMEASURED;

    /* Query one timer or one event. Running timers include the time up to now in the
     * calling thread. Returns 0; -EINVAL unknown id. */
    int (*timer_values)(struct measurement_port *self, int timer,
                        struct measurement_timer_values *values) CCA_UNMEASURED;
    int (*event_values)(struct measurement_port *self, int event,
                        struct measurement_event_values *values) CCA_UNMEASURED;

    /* Return the name of a timer or event by its id, to list them all; NULL beyond the
     * last. Borrowed. */
    const char *(*timer_name)(struct measurement_port *self, int timer,
                              const char **group)CCA_UNMEASURED;
    const char *(*event_name)(struct measurement_port *self, int event)CCA_UNMEASURED;

    /* Called by the recorder once per thread: returns the address of the calling thread's
     * cumulative time inside MPI, nanoseconds, valid until the thread ends; NULL if MPI
     * time is not measured. */
    const int64_t *(*mpi_time)(struct measurement_port *self)CCA_UNMEASURED;
};

#endif
