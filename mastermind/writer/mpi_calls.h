/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h: the calls of MPI in a rank's folder while the rank runs: what is left of
 * them where it is killed. A rank that ends in order has them in its JSON file. */
#ifndef MASTERMIND_WRITER_MPI_CALLS_H
#define MASTERMIND_WRITER_MPI_CALLS_H

#include "tau_port/pmpi/mpi_time.h"

/* Keep the counts of `mpi` (NULL: nobody has any) in the folder from now on. 0, or a
 * negative errno: they are in memory alone. */
int mm_mpi_calls_keep(const struct meas_mpi *mpi, const char *rank_path);
/* No more. */
void mm_mpi_calls_remove(const char *rank_path);

#endif
