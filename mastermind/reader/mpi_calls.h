/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h: what a rank that has not ended in order was doing inside MPI: its file
 * mpi.calls. */
#ifndef MASTERMIND_READER_MPI_CALLS_H
#define MASTERMIND_READER_MPI_CALLS_H

#include "mastermind/reader/timers.h"

/* Zero-initialised is empty. */
struct mm_mpi_calls {
    struct mm_timers timers; /* a timer for each function of MPI that was called */
    char inside[64]; /* function of the call under way that began last, "" where there is
                        none */
    int64_t last_ns; /* start of that call, else the end of the last: since `epoch_ns` */
};

/* Read the calls of a rank. Without the file, or where its process was still making it,
 * they are empty.
 *
 * 0; -EBADMSG damaged ("file: found, expected"); -EIO; -ENOMEM. */
int mm_experiment_mpi_calls(const struct mm_experiment *experiment, int rank,
                            struct mm_mpi_calls *calls, struct cca_error *err);
void mm_mpi_calls_done(struct mm_mpi_calls *calls);

#endif
