/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_time.h: what libmeas_FLAVOUR.so, the library of wrappers around MPI, has measured.
 *
 * It stands in the process's global scope before MPI, or is not there: who wants to know
 * looks for the symbol MEAS_MPI with dlsym(RTLD_DEFAULT, ...), and so needs no MPI
 * itself. */
#ifndef TAU_PORT_PMPI_MPI_TIME_H
#define TAU_PORT_PMPI_MPI_TIME_H

#include <stdint.h>

#include "mastermind/format/mpi_calls_file.h"

#define MEAS_MPI "meas_mpi_3"

/* Why MPI_TIME is among what is missing, where was_off. */
#define MEAS_MPI_WAS_OFF "not all of it, its timers were switched off for a time"

struct meas_mpi {
    /* Address of the calling thread's cumulative time inside MPI, nanoseconds: of
     * outermost calls, from entry to return. It only grows, is written by the thread
     * alone and stays readable after its end. NULL: out of memory. Any thread. */
    const int64_t *(*thread_ns)(void);

    /* Switch measuring on or off. Until MPI_Init all calls count, and MPI_Init itself;
     * behind it measuring is off unless it was switched on. A call under way goes on as
     * it began. MPI_Pcontrol(0) and (1) do the same. Any thread. */
    void (*enable)(int on);

    /* True where it was switched off after it had been on: times are not whole. */
    int (*was_off)(void);

    /* The functions, in order of their names, "MPI_Abort" ...; NULL beyond the last. */
    const char *(*name)(int function);

    /* Outermost calls of a function, over all threads, and the time in them. Calls under
     * way do not count. */
    void (*values)(int function, int64_t *calls, int64_t *ns);

    /* Call `function` before the first call of MPI, in the thread that makes it: once. It
     * must not call MPI. 0; 1: a call has been made before, `function` is not called. */
    int (*tell_first_call)(void (*function)(void));

    /* From now on keep the counts in a new file at `path`, an absolute one, too
     * (mpi_calls_file.h), where they can be read however this process ends. Once. 0;
     * -EALREADY; another negative errno: they go on in memory alone. Any thread. */
    int (*keep)(const char *path);

    /* CPU time that a wrapper adds to a call, nanoseconds, measured now on the calling
     * thread, which must not be inside MPI. */
    double (*wrapper_ns)(void);
};

#endif
