/* SPDX-License-Identifier: BSD-3-Clause */
/* session.h: an experiment while it is written: a recorder, its directory, and the other
 * files than the rows. The Mastermind component and the preloaded library each have a
 * session. */
#ifndef MASTERMIND_WRITER_SESSION_SESSION_H
#define MASTERMIND_WRITER_SESSION_SESSION_H

#include "mastermind/recorder/recorder.h"
#include "mastermind/writer/parts.h"

/* A zeroed session has not started; the owner sets `recorder`, `wiring`, `rank`, `ranks`,
 * `process`, `mpi` and `report`. */
struct mm_session {
    struct mm_recorder *recorder;
    struct mm_storage storage;
    struct mm_directory directory; /* directory of the experiment; if its members are NULL
                                      there is none yet */
    struct mm_methods methods;
    struct mm_wiring_record wiring;
    json_t *about; /* contents of experiment.json, or rank.json; NULL: none yet */
    int rank, ranks;
    pid_t process; /* id of the recording process, as opposed to a forked child; 0:
                      none */
    const struct meas_mpi *mpi; /* counts and times of MPI calls; NULL: MPI calls are
                                   not timed */
    int64_t start_ns;           /* start of the run */
    /* CPU time for recording before the first and after the last call; access by
     * __atomic */
    int64_t setup_ns;
    /* Report a failure that loses measurements but does not stop the run: "regions of
     * OpenMP would be lost with the process", and the reason. */
    void (*report)(void *context, const char *what, const struct cca_error *err);
    void *context;
};

/* The end of a session. */
struct mm_session_end {
    struct mm_recorder_stats stats;
    struct mm_cost cost;
    int64_t wall_ns;
    /* CPU time of the process at the beginning of the session's end, without the time for
     * files of rows */
    int64_t start_ns;
};

/* Choose the storage mode and the size limit of an experiment; for each, NULL or "" is
 * the default. Returns 0 or -EINVAL with `err`. */
int mm_session_store(struct mm_session *session, const char *storage, const char *limit,
                     struct cca_error *err);

/* Create the session's `about`; the arguments are like mm_about_new's. The run
 * starts now unless `start_ns` is set. Returns 0 or -ENOMEM with `err`. */
int mm_session_describe(struct mm_session *session, const char *script,
                        const char *command, struct measurement_port *measurement,
                        struct cca_error *err);

/* Update the recorder's part of `about`, and write it: for the whole run and rank 0 as
 * experiment.json, for another rank as rank.json. Returns 0 or a negative errno with
 * `err`. */
int mm_session_update(struct mm_session *session, struct cca_error *err);

/* Begin to record into the session's directory, which exists: write the first files,
 * start the recorder with `counter_count` counters, and keep MPI calls, messages and
 * OpenMP regions in files. Returns 0, or a negative errno with `err`; then the caller
 * removes the directory. */
int mm_session_start(struct mm_session *session, int counter_count,
                     struct cca_error *err);
/* Like mm_session_start, without files about the whole process: MPI calls, messages and
 * OpenMP regions. */
int mm_session_begin(struct mm_session *session, int counter_count,
                     struct cca_error *err);
/* Keep the MPI calls of the session in a file that survives the process. */
void mm_session_keep_mpi(struct mm_session *session);

/* Close the recorder of the session. Returns 0, or the first error of the recording with
 * `err`. */
int mm_session_close(struct mm_session *session, struct mm_session_end *end,
                     struct cca_error *err);
/* Compute the cost of measuring, if calls reach the recorder through `entry`, and write
 * the end of the run. Returns 0 or a negative errno with `err`. */
int mm_session_finish(struct mm_session *session, enum mm_entry_kind entry,
                      struct mm_session_end *end, struct cca_error *err);
/* frees everything except the recorder and the wiring */
void mm_session_done(struct mm_session *session);

#endif
