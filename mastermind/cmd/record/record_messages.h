/* SPDX-License-Identifier: BSD-3-Clause */
/* record_messages.h: --messages and --mpi-time of `mastermind record`. */
#ifndef MASTERMIND_CMD_RECORD_MESSAGES_H
#define MASTERMIND_CMD_RECORD_MESSAGES_H

#include "mastermind/cmd/job.h"

/* Check the wishes before anything else happens.
 *
 *   word      in   of --messages; NULL: not given
 *   mpi_time  in   of --mpi-time; NULL: not given
 *   flavour   in   of MPI, whose wrappers are going to be loaded: "openmpi", "mpich",
 *                  "none"; NULL: no launcher and no --mpi
 *
 * Returns 1: messages are sampled; 0: none are asked for; or minus an exit code, after a
 * message that of a job's processes only the first prints. */
int mm_record_messages(const struct mm_job *job, const char *word, const char *mpi_time,
                       const char *flavour);

#endif
