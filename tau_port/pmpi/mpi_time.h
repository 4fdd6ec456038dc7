/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_time.h: measurements of libmeas_FLAVOUR.so, the library of wrappers around MPI.
 *
 * The library stands in the process's global scope before MPI, or is absent. Users
 * find it by dlsym(RTLD_DEFAULT, ...) with the symbol MEAS_MPI, so they need no MPI
 * themselves. */
#ifndef TAU_PORT_PMPI_MPI_TIME_H
#define TAU_PORT_PMPI_MPI_TIME_H

#include <stdint.h>

#include "mastermind/format/mpi_calls_file.h"

#define MEAS_MPI "meas_mpi_4"

/* The reason for a missing MPI_TIME if it is not timed. */
#define MEAS_MPI_NOT_TIMED "switched off by --mpi-time"

/* The reason for a missing MPI_TIME if was_off. */
#define MEAS_MPI_WAS_OFF "not all of it, its timers were switched off for a time"

struct meas_mpi {
    /* Address of the calling thread's cumulative time inside MPI, nanoseconds: of
     * outermost calls, from entry to return. It only grows, only the thread writes it,
     * and it stays readable after the thread's end. NULL: out of memory. Any thread. */
    const int64_t *(*thread_ns)(void);

    /* Switch measuring on or off. Until MPI_Init returns all calls count; afterwards
     * measuring is off unless it was switched on. A running call goes on as it began.
     * MPI_Pcontrol(0) and (1) do the same. Any thread. */
    void (*enable)(int on);

    /* False where the user asked that calls are not timed (--mpi-time off): then enable
     * and MPI_Pcontrol switch nothing, and neither times nor counts mean anything. The
     * first call is told as otherwise, by MPI_Init. Constant. Any thread. */
    int (*is_timed)(void);

    /* True if measuring was switched off after it had been on: times are incomplete. */
    int (*was_off)(void);

    /* The functions, in order of their names, "MPI_Abort" ...; NULL beyond the last. */
    const char *(*name)(int function);

    /* Outermost calls of a function, over all threads, and the time in them. Calls under
     * way do not count. */
    void (*values)(int function, int64_t *calls, int64_t *ns);

    /* Call `function` once before the first call of MPI, in the calling thread. It
     * must not call MPI. 0; 1: MPI was called before, `function` is not called. */
    int (*tell_first_call)(void (*function)(void));

    /* Also keep the counts in a new file at the absolute `path` (mpi_calls_file.h),
     * which is readable however this process ends. Once. 0; -EALREADY; another
     * negative errno: the counts stay in memory alone. Any thread. */
    int (*keep)(const char *path);

    /* CPU time that a wrapper adds to a call, nanoseconds, measured now on the calling
     * thread, which must not be inside MPI. */
    double (*wrapper_ns)(void);
};

#endif
