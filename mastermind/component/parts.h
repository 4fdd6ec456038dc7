/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the component share. */
#ifndef MASTERMIND_COMPONENT_PARTS_H
#define MASTERMIND_COMPONENT_PARTS_H

#include <jansson.h>
#include <pthread.h>

#include "mastermind/cmd/answers/answers.h"
#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/session/session.h"
#include "ports/messages_port.h"

/* --- apart.c ------------------------------------------------------------- */

/* Calls that are no part of the run. A struct of zeros has none. */
struct mm_apart {
    struct mm_session own;        /* the experiment of these calls */
    const struct mm_session *run; /* the experiment of the run, which contains it */
};

/* Return the port of the recorder for calls that are no part of `run`, which is made at
 * the first call; NULL with `err`. */
struct monitor_port *mm_apart_port(struct mm_apart *apart, struct mm_session *run,
                                   struct cca_error *err);
/* End the experiment of these calls, before the run's own ends. */
void mm_apart_finish(struct mm_apart *apart);

/* --- deadline.c ---------------------------------------------------------- */

/* Names of methods by id. A struct of zeros has none. */
struct mm_deadline {
    char **names; /* names by id, such as "driver.go.go" */
    uint32_t count;
    size_t capacity;
};

/* Store the name of method `id`. Returns 0 or -ENOMEM. Called from the recorder's
 * callback on_method. */
int mm_deadline_name(struct mm_deadline *deadline, uint32_t id,
                     const struct monitor_method_decl *decl);
/* Print the open calls of each thread to stderr, one line for each thread, with the
 * prefix `experiment SHOWN: `. Any thread; allocates no memory and uses no stdio stream.
 */
void mm_deadline_say(const struct mm_deadline *deadline, struct mm_recorder *recorder,
                     const char *shown);
void mm_deadline_done(struct mm_deadline *deadline);

/* --- delays.c ------------------------------------------------------------ */

/* The environment variable that asks for delays, "flux.flux.compute=0.7,...": methods and
 * the factors of their costs, or "none". */
#define MM_DELAYS "MASTERMIND_DELAYS"
#define MM_DELAYS_NONE "none"

struct mm_delay_change {
    char *name;
    double factor;
};

struct mm_delayed_method {
    const struct monitor_method *method;
    double rate;
};

enum { MM_DELAYED_METHODS = 64 };

/* A monitor port that delays calls, in front of the recorder's. A struct of zeros is not
 * used. */
struct mm_delays {
    struct monitor_port port, *inner;
    const int64_t *(*mpi_time)(void *context);
    void *context;
    int is_used;
    double
        scale; /* length of the run with delays, divided by its length with the changes */
    struct mm_delay_change *changes;
    size_t change_count;
    /* [changed_count] methods that are changed; the count is read by __atomic */
    struct mm_delayed_method changed[MM_DELAYED_METHODS];
    size_t changed_count;
    pthread_mutex_t lock; /* for adding to `changed` */
    pthread_key_t threads;
    int64_t reading_ns; /* CPU time of a reading of the clock */
};

/* Read the changes. Returns 0; -EINVAL or -ENOMEM with `err`. */
int mm_delays_read(struct mm_delays *delays, const char *text, struct cca_error *err);
/* Start delaying calls that reach `inner` through delays->port. `mpi_time` as in
 * struct mm_recorder_options. Returns 0 or -ENOMEM with `err`. */
int mm_delays_init(struct mm_delays *delays, struct monitor_port *inner,
                   const int64_t *(*mpi_time)(void *context), void *context,
                   struct cca_error *err);
/* The delays as the member "delays" of experiment.json; new, or NULL. */
json_t *mm_delays_json(const struct mm_delays *delays);
void mm_delays_done(struct mm_delays *delays);

/* --- own_messages.c ------------------------------------------------------ */

/* The port for sampled messages, as a part of the component. It owns no memory. */
struct mm_own_messages {
    struct messages_port port;
    char *const *folder; /* points to the folder of the rank, which is NULL until the
                            folder exists */
    const int *rank;     /* points to the rank in MPI_COMM_WORLD */
};

/* Initialise the port. `folder` and `rank` must outlive it. */
void mm_own_messages_init(struct mm_own_messages *own, char *const *folder,
                          const int *rank);

/* --- own_query.c --------------------------------------------------------- */

/* The port for questions, as a part of the component. */
struct mm_own_query {
    struct query_port port;
    const struct mm_answers *answers; /* the loaded library; NULL: no connection yet */
    char *const *directory; /* points to the path of the experiment, which is NULL until
                               it exists */
    int (*has_rows)(const void *context); /* true if there may be rows */
    const void *context;
    pthread_mutex_t lock;             /* for `models` */
    struct mm_answers_models *models; /* models of the last refresh, or NULL */
};

/* Initialise the port. `directory` must outlive it. */
void mm_own_query_init(struct mm_own_query *own, char *const *directory,
                       int (*has_rows)(const void *context), const void *context);
/* Load the library that answers, once. Returns 0 or a negative errno with `err`. */
int mm_own_query_load(struct mm_own_query *own, struct cca_error *err);
void mm_own_query_done(struct mm_own_query *own);

/* --- parameters.c -------------------------------------------------------- */

/* Update the members of `about`. *   variables, set  in  the main program's properties of
 * these names, JSON objects of strings; if one is NULL or another text, the member is
 * omitted assembly        in  the member of struct mm_wiring_record
 *
 * Returns 1 if a member has changed, else 0; or -ENOMEM. */
int mm_parameters_update(json_t *about, const char *variables, const char *set,
                         const json_t *assembly);

#endif
