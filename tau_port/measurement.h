/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement.h: the Measurement and the Counters port, without the component around
 * them. */
#ifndef TAU_PORT_MEASUREMENT_H
#define TAU_PORT_MEASUREMENT_H

#include "ports/counters_port.h"
#include "ports/measurement_port.h"

struct meas;

/* New, or NULL with `err`: -ENOMEM, -EAGAIN no key for thread-specific data left.
 *
 *   now_ns  in  the clock of timers and metric 0, or NULL: CLOCK_MONOTONIC */
struct meas *meas_new(int64_t (*now_ns)(void), struct cca_error *err);

/* Free the port. No call of its functions may be in progress, and none may follow.
 * Threads that used it may live on: their state is freed when the last of them ends. */
void meas_free(struct meas *meas);

struct measurement_port *meas_port(struct meas *meas); /* borrowed until meas_free */

/* borrowed until meas_free */
struct counters_port *meas_counters_port(struct meas *meas);

/* Set the source of the list of metrics, called once, at the first query. Without it
 * TIME is the only metric.
 *
 * wanted  in  returns the list, as in metrics.h, and may clear `*use_papi` */
void meas_metrics_from(struct meas *meas,
                       const char *(*wanted)(void *context, int *use_papi),
                       void *context);

#endif
