/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h: the calls of MPI of a rank that has not ended in order, from its file
 * mpi.calls. */
#ifndef MASTERMIND_READER_MPI_CALLS_H
#define MASTERMIND_READER_MPI_CALLS_H

#include "mastermind/reader/timers.h"

/* Zero-initialised is empty. */
struct mm_mpi_calls {
    struct mm_timers timers; /* a timer for each function of MPI that was called */
    char inside[64]; /* function whose call began last and has not ended; "": none */
    int64_t
        last_ns; /* start of that call, else the end of the last one: since `epoch_ns` */
};

/* Read the calls of a rank. Without the file, or where its process was still making it,
 * they are empty.
 *
 * 0; -EBADMSG damaged ("file: found, expected"); -EIO; -ENOMEM. */
int mm_experiment_mpi_calls(const struct mm_experiment *experiment, int rank,
                            struct mm_mpi_calls *calls, struct cca_error *err);
void mm_mpi_calls_done(struct mm_mpi_calls *calls);

#endif
