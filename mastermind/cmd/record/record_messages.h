/* SPDX-License-Identifier: BSD-3-Clause */
/* record_messages.h: --messages and --mpi-time of `mastermind record`. */
#ifndef MASTERMIND_CMD_RECORD_MESSAGES_H
#define MASTERMIND_CMD_RECORD_MESSAGES_H

#include "mastermind/cmd/job.h"

/* Check the options before anything else is done.
 *
 *   word      in   value of --messages; NULL: not given
 *   mpi_time  in   value of --mpi-time; NULL: not given
 *   flavour   in   MPI implementation whose wrappers will be loaded: "openmpi", "mpich",
 *                  "none"; NULL: no launcher and no --mpi
 *
 * Returns 1: messages are sampled; 0: not requested; or minus an exit code, after a
 * message that only the first process of a job prints. */
int mm_record_messages(const struct mm_job *job, const char *word, const char *mpi_time,
                       const char *flavour);

#endif
