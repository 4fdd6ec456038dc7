/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h: state of a Measurement port, global and per thread. */
#ifndef TAU_PORT_STATE_H
#define TAU_PORT_STATE_H

#include "tau_port/measurement.h"
#include "tau_port/metrics.h"
#include "tau_port/pmpi/mpi_time.h"
#include "tau_port/tally.h"

#include <pthread.h>
#include <time.h>

struct meas_thread {
    struct meas *meas;
    /* links of the list meas->threads; protected by meas->lock */
    struct meas_thread *next, **link;
    pthread_mutex_t lock;
    struct meas_tally tally; /* the thread's timers and events; only the thread writes
                              * them, holding `lock` */

    /* Used by the thread itself only. */
    int64_t *cells; /* the thread's counts, by counter */
    int cell_count;
    /* PAPI's counts of the thread; NULL: not started, or unavailable */
    struct meas_papi_thread *papi;
    int papi_tried;
};

/* A counter that a component publishes, or a metric requests. */
struct meas_counter {
    struct meas *meas;
    int id;
    int published; /* 1: some component has published the counter; accessed with
                    * __atomic */
};

struct meas {
    struct measurement_port port;
    struct counters_port counters_port;
    int64_t (*now_ns)(void);
    pthread_key_t key;    /* key of each thread's struct meas_thread */
    pthread_mutex_t lock; /* taken before a thread's lock; protects the fields below */
    struct meas_names timers, events, groups;
    struct meas_names counters; /* names of all counters: "godunov::riemann_iterations" */
    struct meas_counter **by_id;
    size_t by_id_count;
    struct meas_thread
        *threads; /* living threads, and dead ones whose tally could not be folded */
    struct meas_tally ended; /* sum of the tallies of threads that have ended */
    size_t holders;          /* number of holders: the owner, and each living thread with
                              * a tally */

    /* times of MPI functions; NULL: MPI calls are not timed */
    const struct meas_mpi *mpi;
    const char *mpi_why; /* reason why MPI calls are not timed */
    int mpi_count;       /* MPI's functions are timers 0 to mpi_count - 1 */

    pthread_mutex_t settle_lock; /* taken before `lock`; protects the fields below */
    const char *(*wanted)(void *context, int *use_papi);
    void *wanted_context;
    struct meas_metrics metrics;
    int settled; /* 1: the list of metrics is final; accessed with __atomic */
};

static inline struct meas *meas_of_port(struct measurement_port *self)
{
    return cca_container_of(self, struct meas, port);
}

/* The calling thread's state, made at first use; NULL: out of memory. */
struct meas_thread *meas_this_thread(struct meas *meas);

/* --- mpi.c: timers of MPI's functions. meas_mpi_init is called before any other timer is
 * made; it returns 0 or -ENOMEM. */
int meas_mpi_init(struct meas *meas, struct cca_error *err);
/* Switch the timing of MPI on or off if `group` is "MPI". */
void meas_mpi_group(struct meas *meas, const char *group, int on);
void meas_mpi_add(const struct meas *meas, int timer,
                  struct measurement_timer_values *values);
const int64_t *meas_mpi_time(struct measurement_port *self);

/* --- counting.c: metrics and counters */
void meas_counting_init(struct meas *meas);
void meas_counting_done(struct meas *meas);
int meas_metric_count(struct measurement_port *self);
const char *meas_metric_name(struct measurement_port *self, int metric,
                             const char **unit);
const char *meas_missing_metric(struct measurement_port *self, int index,
                                const char **why);
void meas_read(struct measurement_port *self, int first, int count, int64_t *values);

#endif
