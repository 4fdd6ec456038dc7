/* SPDX-License-Identifier: BSD-3-Clause */
/* record_messages.c: check that --messages and --mpi-time are correct and possible. */
#include "mastermind/cmd/record/record_messages.h"

#include <string.h>
#include <time.h>

#include "mastermind/cmd/cmd.h"
#include "messages/words/words.h"

/* All processes of a job have the same mistake: the first one prints it. A launcher ends
 * all processes when one has failed, so the others wait. */
static int refuse_once(const struct mm_job *job, const char *text)
{
    const struct timespec pause = {.tv_nsec = 500000000};

    if (!job->flavour || job->rank == 0)
        return -mm_refuse(MM_EXIT_MISUSE, "%s", text);
    nanosleep(&pause, NULL);
    return -MM_EXIT_MISUSE;
}

int mm_record_messages(const struct mm_job *job, const char *word, const char *mpi_time,
                       const char *flavour)
{
    struct mm_message_request request = {.strategy = MM_STRATEGY_NONE};
    struct cca_error err = {0};

    if ((word && mm_message_request_parse(word, &request, &err)) ||
        (mpi_time && mm_mpi_time_parse(mpi_time, &err) < 0))
        return refuse_once(job, err.text);
    if (request.strategy == MM_STRATEGY_NONE)
        return 0;
    if (!flavour)
        return refuse_once(job,
                           "--messages: no launcher of MPI has started this process; "
                           "expected mpirun before mastermind, or --mpi openmpi or "
                           "--mpi mpich");
    if (!strcmp(flavour, "none"))
        return refuse_once(job,
                           "--messages: found --mpi none, expected openmpi or mpich");
    return 1;
}
