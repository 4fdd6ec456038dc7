/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h: what a rank that has not ended in order was doing inside MPI: its file
 * mpi.calls. */
#ifndef MASTERMIND_READER_MPI_CALLS_H
#define MASTERMIND_READER_MPI_CALLS_H

#include <jansson.h>

#include "mastermind/reader/experiment.h"

/* Zero-initialised is empty. */
struct mm_mpi_calls {
    json_t *timers;  /* as "timers" of a rank that has ended: name, group, calls, times */
    char inside[64]; /* function of the call under way that began last, "" where there is
                        none */
    int64_t last_ns; /* start of that call, else the end of the last: since `epoch_ns` */
};

/* Read a file; one that is not there is empty, and so is one whose process was still
 * making it.
 *
 *   epoch_ns  in  CLOCK_REALTIME at the start of the experiment's clock; 0: of the file's
 *                 own
 *
 * 0; -EBADMSG damaged ("file: found, expected"); -EIO; -ENOMEM. */
int mm_mpi_calls_read(struct mm_mpi_calls *calls, const char *path, int64_t epoch_ns,
                      struct cca_error *err);
void mm_mpi_calls_done(struct mm_mpi_calls *calls);

/* The same of a rank of an experiment. */
int mm_experiment_mpi_calls(const struct mm_experiment *experiment, int rank,
                            struct mm_mpi_calls *calls, struct cca_error *err);

/* What a rank has timed, an array, new: "timers" of what it says of itself; of one that
 * has not ended in order, its calls of MPI. NULL where there is nothing. */
int mm_experiment_timers(const struct mm_experiment *experiment, int rank,
                         json_t **timers, struct cca_error *err);

#endif
