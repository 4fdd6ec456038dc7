/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_profile.h: the MPI functions that each rank of an experiment called. */
#ifndef MASTERMIND_COUNTS_DUAL_MPI_PROFILE_H
#define MASTERMIND_COUNTS_DUAL_MPI_PROFILE_H

#include "mastermind/counts/dual/ranks.h"
#include "mastermind/reader/experiment.h"

/* Calls and time of an MPI function, summed over ranks. */
struct mm_mpi_function {
    char *name; /* name of the function, such as "MPI_Waitsome()" */
    uint64_t calls;
    int64_t ns;
    struct mm_rank_sum *ranks; /* [rank_count] calls and time on each rank */
};

/* The MPI function in which a rank that ended abnormally was last known to be. */
struct mm_mpi_end {
    char inside[64]; /* name of that MPI function; "": not known */
    /* start of the open call of that function or, outside of MPI, end of the rank's last
     * call of MPI; since the clock's start; 0: not known */
    int64_t last_ns;
};

/* MPI functions of an experiment; empty if zero-initialised. */
struct mm_mpi_profile {
    struct mm_mpi_function *functions; /* functions with the longest time first */
    size_t count;
    int rank_count, told;    /* number of ranks of the experiment, and of ranks with
                                timers */
    struct mm_mpi_end *ends; /* [rank_count] last known function of each rank */
};

/* Read the profiles of all ranks, or of one if `rank` >= 0. Returns 0 or a negative errno
 * with `err`. */
int mm_mpi_profile_read(struct mm_mpi_profile *profile,
                        const struct mm_experiment *experiment, int rank,
                        struct cca_error *err);
void mm_mpi_profile_done(struct mm_mpi_profile *profile);

#endif
