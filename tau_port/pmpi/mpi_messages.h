/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_messages.h: sampled messages of libmeas_FLAVOUR.so, the library of wrappers around
 * MPI, for recorders: found by dlsym(RTLD_DEFAULT, MEAS_MESSAGES), as in mpi_time.h. */
#ifndef TAU_PORT_PMPI_MPI_MESSAGES_H
#define TAU_PORT_PMPI_MPI_MESSAGES_H

#include <stdint.h>

#include "mastermind/format/messages_file.h"

#define MEAS_MESSAGES "meas_messages_1"

/* The innermost open call of a recorder in the calling thread; (thread, invocation)
 * identifies its row. method -1: none. */
struct meas_caller {
    int32_t method, thread; /* method: id of the call's method; thread: number of the
                             * thread in the recorder */
    uint64_t invocation;
    int named; /* set by the caller: 1: it needs the name of the running method */
    /* name of the method, "instance.port.method", valid for ever, or NULL */
    const char *name;
};

struct meas_messages {
    /* Keep messages in the new file `MM_MESSAGES_FILE` of the folder `rank_path`,
     * absolute, from now on, or from MPI_Init on. Once. 0, also if nothing is sampled;
     * -EALREADY; another negative errno: they stay in memory. Any thread. */
    int (*keep)(const char *rank_path);

    /* Set the function that returns the caller of each sampled message. NULL: remove the
     * present function, if `context` is the context with which it was set. `stack` is an
     * address in the calling function's stack frame. The function is called inside MPI,
     * by any thread; it must not call MPI. */
    void (*set_caller)(void (*function)(void *context, uintptr_t stack,
                                        struct meas_caller *caller),
                       void *context);

    /* Switch sampling by this process's sends on or off. Counting goes on. Any thread. */
    void (*enable)(int on);

    /* The header of the kept data, at the start of an image of the file
     * (messages_file.h), which grows while this process runs; borrowed until
     * MPI_Finalize. NULL: nothing is sampled. Any thread. */
    const struct mm_messages_head *(*head)(void);
};

#endif
