/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: connect the recorder to the MPI wrappers, which sample messages. */
#include "mastermind/writer/messages.h"

#include <dlfcn.h>
#include <errno.h>

#include "tau_port/pmpi/mpi_messages.h"

/* Find the functions of the MPI wrappers that sample messages; NULL: this process has no
 * MPI wrappers. */
static const struct meas_messages *find_messages(void)
{
    return dlsym(RTLD_DEFAULT, MEAS_MESSAGES);
}

static void find_caller(void *recorder, uintptr_t stack, struct meas_caller *caller)
{
    mm_recorder_caller(recorder, stack, &caller->method, &caller->thread,
                       &caller->invocation);
    if (caller->named)
        caller->name = mm_recorder_innermost(recorder, stack);
}

int mm_messages_keep(const char *rank_path, struct mm_recorder *recorder)
{
    const struct meas_messages *messages = find_messages();
    int result = messages ? messages->keep(rank_path) : 0;

    if (messages && !result)
        messages->set_caller(find_caller, recorder);
    return result == -EALREADY ? 0 : result;
}

void mm_messages_leave(struct mm_recorder *recorder)
{
    const struct meas_messages *messages = find_messages();

    if (messages)
        messages->set_caller(NULL, recorder);
}

void mm_messages_enable(int on)
{
    const struct meas_messages *messages = find_messages();

    if (messages)
        messages->enable(on);
}
