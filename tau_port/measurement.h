/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement.h: the Measurement and the Counters port, apart from the component that
 * provides them. */
#ifndef TAU_PORT_MEASUREMENT_H
#define TAU_PORT_MEASUREMENT_H

#include "ports/counters_port.h"
#include "ports/measurement_port.h"

struct meas;

/* New, or NULL with `err`: -ENOMEM, -EAGAIN no key for thread-specific data left.
 *
 *   now_ns  in  the clock of timers and metric 0, or NULL: CLOCK_MONOTONIC */
struct meas *meas_new(int64_t (*now_ns)(void), struct cca_error *err);

/* No call may be in progress and none may follow. Threads that used it may live on: what
 * they hold is freed when the last of them ends. */
void meas_free(struct meas *meas);

struct measurement_port *meas_port(struct meas *meas); /* borrowed until meas_free */

struct counters_port *meas_counters_port(struct meas *meas); /* the same */

/* Where the list of metrics comes from: asked once, at the first query of them. Without
 * it there is TIME alone.
 *
 *   wanted  in  returns the list, as in metrics.h, and may clear `*use_papi` */
void meas_metrics_from(struct meas *meas,
                       const char *(*wanted)(void *context, int *use_papi),
                       void *context);

#endif
