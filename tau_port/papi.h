/* SPDX-License-Identifier: BSD-3-Clause */
/* papi.h: count events with PAPI, if this machine has it.
 *
 * The library is opened when the first event is requested, not linked: a program built
 * with PAPI's headers runs without its library, and a program built without them
 * reports that. PAPI counts by thread and has one running event set for each of its
 * components. */
#ifndef TAU_PORT_PAPI_H
#define TAU_PORT_PAPI_H

#include "ports/measurement_port.h"

enum { MEAS_PAPI_MOST = 16 }; /* limit of events of one Measurement port */

struct meas_papi;        /* the events of one Measurement port */
struct meas_papi_thread; /* the events' counts in one thread */

/* Make an empty list of events; NULL: out of memory. */
struct meas_papi *meas_papi_new(void);
void meas_papi_free(struct meas_papi *papi);

/* Count `name` too, a preset or a native event; tested in the calling thread. Before
 * any meas_papi_thread_new. Returns its index in the values of meas_papi_read, from 0,
 * or a negative errno with `err`: the reason why it cannot be counted here. */
int meas_papi_add(struct meas_papi *papi, const char *name, struct cca_error *err);

/* Publish one of our numbers as the software-defined event sde:::COMPONENT::NAME.
 *
 * read  in  called by any thread that reads the event, with `context`, until
 * meas_papi_retract(context)
 *
 * 0; -EBUSY another owner has the name now; another errno with `err`. */
int meas_papi_publish(const char *component, const char *name,
                      long long (*read)(void *context), void *context,
                      struct cca_error *err);
/* Whether another library has registered the software-defined event of this name. */
int meas_papi_is_foreign(const char *event);
/* Retract the events published with `context`: they read 0 from now on. */
void meas_papi_retract(const void *context);

/* Start counting in the calling thread. NULL: out of memory. */
struct meas_papi_thread *meas_papi_thread_new(const struct meas_papi *papi);
/* Read the calling thread's counts, one per event; MEASUREMENT_MISSING for a missing
 * one. */
void meas_papi_read(struct meas_papi_thread *thread, int64_t *values);
/* Stop counting; the caller must be the thread that started it. `ends`: the thread ends,
 * so PAPI forgets it. */
void meas_papi_thread_free(struct meas_papi_thread *thread, int ends);

#endif
