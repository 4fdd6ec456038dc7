/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: --messages and --mpi-time, which are requests to the wrappers around MPI.
 *
 * Messages are counted from MPI_Init on, which the ranks call before any component
 * exists. So the requests are checked here and put into the environment before MPI is
 * loaded. Components can read them as properties, but too late to change counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"
#include "messages/words/words.h"
#include "ports/monitor_port.h"

/* Before MPI is loaded the ranks cannot agree on who prints: rank 0 does. The others
 * wait, as a launcher ends all ranks when the first one has failed. */
int ccafe_complain_once(const char *text)
{
    const struct timespec pause = {.tv_nsec = 500000000};

    if (ccafe_ranks_launched() <= 0)
        return ccafe_complain(CCA_EXIT_MISUSE, "%s", text);
    nanosleep(&pause, NULL);
    return CCA_EXIT_MISUSE;
}

int ccafe_messages_check(struct ccafe_options *options)
{
    const char **word = &options->recording[RECORDING_MESSAGES];
    const char *mpi_time = options->recording[RECORDING_MPI_TIME];
    struct mm_message_request request = {.strategy = MM_STRATEGY_NONE};
    struct cca_error err = {0};

    if ((*word && mm_message_request_parse(*word, &request, &err)) ||
        (mpi_time && mm_mpi_time_parse(mpi_time, &err) < 0))
        return ccafe_complain_once(err.text);
    if (request.strategy == MM_STRATEGY_NONE)
        *word = NULL;
    return -1;
}

/* Without the option --messages or --mpi-time its environment variable is unchanged:
 * `mastermind record`, or a shell, may run this program with requests of its own. */
int ccafe_messages_pass(const struct ccafe_options *options, const char *flavour)
{
    const char *word = options->recording[RECORDING_MESSAGES];
    const char *mpi_time = options->recording[RECORDING_MPI_TIME];
    char process[24];

    if (word && !flavour)
        fprintf(stderr, "ccafe: no launcher of MPI has started this process: "
                        "--messages samples none\n");
    if (!word && !mpi_time)
        return 0;
    snprintf(process, sizeof process, "%ld", (long)getpid());
    if (setenv(MM_RECORDED_VARIABLE, process, 1) ||
        (word && setenv(MM_MESSAGES_VARIABLE, word, 1)) ||
        (mpi_time && setenv(MM_MPI_TIME_VARIABLE, mpi_time, 1)))
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    return 0;
}

const char *ccafe_messages_serve(const struct ccafe_options *options)
{
    return options->recording[RECORDING_MESSAGES] || options->recording[RECORDING_CELLS]
               ? MONITOR_PORT_TYPE
               : NULL;
}
