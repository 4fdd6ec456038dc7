/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.h: the metrics of a Measurement port, made from a list of names.
 *
 *     "TIME,CPU_TIME,PAPI_TOT_CYC,sde:::godunov::riemann_iterations"
 */
#ifndef TAU_PORT_METRICS_H
#define TAU_PORT_METRICS_H

#include "common/thread_times.h"
#include "tau_port/papi.h"

#include <time.h>

enum { MEAS_METRICS_MOST = 16 };

struct meas_counter; /* a counter that components publish; in state.h */

/* A software-defined event: "sde:::COMPONENT::COUNTER". */
#define MEAS_SOFT_PREFIX "sde:::"

struct meas_metric {
    char *name;
    const char *unit;
    int clock;                 /* true: the metric is the time of the clock `clock_id` */
    clockid_t clock_id;        /* CLOCK_MONOTONIC means the port's own clock */
    int papi;                  /* index of the metric among PAPI's values, or -1 */
    struct meas_counter *soft; /* the counter of a software-defined event, or NULL */
    const struct meas_times
        *times; /* library of wrappers that keeps the metric for each thread, or NULL */
    int place;  /* index of the metric among the library's times */
};

struct meas_absent {
    char *name, *why;
};

/* The metrics of a port. A struct of zeros is empty. */
struct meas_metrics {
    struct meas_metric items[MEAS_METRICS_MOST];
    int count;
    struct meas_absent *absent; /* requested metrics that are not among `items` */
    int absent_count;
    struct meas_papi *papi; /* events of PAPI that the list has; NULL: none */
    int uses_papi;
    const char *mpi_why; /* reason why rows lack the time inside MPI, set by the owner of
                          * the struct; NULL: they have it */
};

/* Find or make the counter of a software-defined event. NULL with `err`. */
typedef struct meas_counter *(*meas_soft_function)(void *context, const char *component,
                                                   const char *name,
                                                   struct cca_error *err);

/* Fill `metrics` from a list; names are separated by commas, blanks around them do not
 * count. TIME is always the first, CPU_TIME the second if requested; others follow in
 * order, each once.
 *
 *   use_papi  in  0: count without PAPI what can be
 *   soft      in  finds or makes the counter of a software-defined event
 *   read      in  reads the number of such a counter for PAPI
 *
 * 0 or -ENOMEM; a metric that cannot be measured is no failure. */
int meas_metrics_init(struct meas_metrics *metrics, const char *list, int use_papi,
                      meas_soft_function soft, void *context,
                      long long (*read)(void *counter));
void meas_metrics_done(struct meas_metrics *metrics);

#endif
