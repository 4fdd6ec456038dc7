/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h: the MPI calls of a rank that did not end normally, from its file
 * mpi.calls. */
#ifndef MASTERMIND_READER_MPI_CALLS_H
#define MASTERMIND_READER_MPI_CALLS_H

#include "mastermind/reader/timers.h"

/* MPI calls of a rank. A struct of zeros has none. */
struct mm_mpi_calls {
    struct mm_timers timers; /* a timer for each MPI function that was called */
    char inside[64]; /* function of the latest call that has not ended; "": none */
    int64_t last_ns; /* start of that call, or end of the latest call, since the
                        experiment's `epoch_ns` */
};

/* Read the calls of a rank. They are empty if the file is missing or not yet complete.
 * Returns 0; -EBADMSG: damaged ("file: found, expected"); -EIO; -ENOMEM. */
int mm_experiment_mpi_calls(const struct mm_experiment *experiment, int rank,
                            struct mm_mpi_calls *calls, struct cca_error *err);
void mm_mpi_calls_done(struct mm_mpi_calls *calls);

#endif
