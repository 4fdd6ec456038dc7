/* SPDX-License-Identifier: BSD-3-Clause */
/* papi.h: events that PAPI counts, where this machine has PAPI.
 *
 * The library is opened when the first event is asked for, not linked: a program that was
 * built with PAPI's headers runs without its library, and one built without them says so.
 * PAPI counts by thread and has one running event set for each of its components. */
#ifndef TAU_PORT_PAPI_H
#define TAU_PORT_PAPI_H

#include "ports/measurement_port.h"

enum { MEAS_PAPI_MOST = 16 }; /* events of one Measurement port */

struct meas_papi;        /* the events of one Measurement port */
struct meas_papi_thread; /* they are counted in one thread */

struct meas_papi *meas_papi_new(void); /* NULL: out of memory */
void meas_papi_free(struct meas_papi *papi);

/* Count `name` too, a preset or a native event; tried in the calling thread. Before any
 * meas_papi_thread_new. Returns its place in what meas_papi_read fills, counted from 0,
 * or a negative errno with `err`: why it cannot be counted here. */
int meas_papi_add(struct meas_papi *papi, const char *name, struct cca_error *err);

/* Make a number of ours the software-defined event sde:::COMPONENT::NAME.
 *
 *   read  in  called by whatever thread reads the event, with `context`, until
 *             meas_papi_retract(context)
 *
 * 0; -EBUSY somebody else's at the moment; another errno with `err`. */
int meas_papi_publish(const char *component, const char *name,
                      long long (*read)(void *context), void *context,
                      struct cca_error *err);
/* Has another library registered the software-defined event of this name? */
int meas_papi_is_foreign(const char *event);
/* What was published with `context` is 0 from now on. */
void meas_papi_retract(const void *context);

/* Start counting in the calling thread. NULL: out of memory. */
struct meas_papi_thread *meas_papi_thread_new(const struct meas_papi *papi);
/* The calling thread's counts, as many as there are events; MEASUREMENT_MISSING where
 * there is none. */
void meas_papi_read(struct meas_papi_thread *thread, int64_t *values);
/* Stop counting in the thread that started, the caller; if it ends, PAPI forgets it. */
void meas_papi_thread_free(struct meas_papi_thread *thread, int ends);

#endif
