/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.c: options of this process in environment variables. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "messages/words/words.h"

/* The value of an environment variable if it is meant for this process; or NULL. */
static const char *wish(const char *variable)
{
    const char *process = getenv(MM_RECORDED_VARIABLE);
    const char *children = getenv(MM_CHILDREN_VARIABLE);
    char *end;

    if (!process ||
        (strtol(process, &end, 10) != getpid() && !(children && !strcmp(children, "1"))))
        return NULL;
    return getenv(variable);
}

int mm_message_request_wanted(struct mm_message_request *request, struct cca_error *err)
{
    const char *word = wish(MM_MESSAGES_VARIABLE);
    struct mm_message_request parsed;
    int result = word ? mm_message_request_parse(word, &parsed, err) : 0;

    if (!word || result || parsed.strategy == MM_STRATEGY_NONE)
        return result;
    *request = parsed;
    return 1;
}

int mm_mpi_time_wanted(void)
{
    const char *word = wish(MM_MPI_TIME_VARIABLE);

    return !word || mm_mpi_time_parse(word, NULL) != 0;
}
