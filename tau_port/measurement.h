/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement.h: the Measurement port, apart from the component that provides it. */
#ifndef TAU_PORT_MEASUREMENT_H
#define TAU_PORT_MEASUREMENT_H

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

#endif
