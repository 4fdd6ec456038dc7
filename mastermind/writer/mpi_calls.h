/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.h: the file of MPI calls in a rank's folder while the rank runs. It remains
 * if the rank is killed; a rank that ends normally writes the counts to its JSON file. */
#ifndef MASTERMIND_WRITER_MPI_CALLS_H
#define MASTERMIND_WRITER_MPI_CALLS_H

#include "tau_port/pmpi/mpi_time.h"

/* Keep the counts of `mpi` (NULL: none) in a file in the folder from now on. 0, or a
 * negative errno: the counts stay in memory. */
int mm_mpi_calls_keep(const struct meas_mpi *mpi, const char *rank_path);
/* Remove the file of MPI calls. */
void mm_mpi_calls_remove(const char *rank_path);

#endif
