/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_time.h: measurements of libmeas_FLAVOUR.so, the library of wrappers around MPI.
 *
 * The library is in the process's global scope before MPI, or is absent. Find it by
 * dlsym(RTLD_DEFAULT, ...) with the symbol MEAS_MPI; users need no MPI themselves. */
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
     * outermost calls, from entry to return. It never decreases, only the thread writes
     * it, and it stays readable after the thread's end. NULL: out of memory. Any
     * thread. */
    const int64_t *(*thread_ns)(void);

    /* Switch measuring on or off. Until MPI_Init returns all calls count; afterwards
     * measuring is off unless it was switched on. A call in progress is not affected.
     * MPI_Pcontrol(0) and (1) do the same. Any thread. */
    void (*enable)(int on);

    /* False if the user requested that calls are not timed (--mpi-time off): then enable
     * and MPI_Pcontrol have no effect, and times and counts are meaningless. The first
     * call is still reported, by MPI_Init. Constant. Any thread. */
    int (*is_timed)(void);

    /* True if measuring was switched off after it had been on: times are incomplete. */
    int (*was_off)(void);

    /* Names of the functions, sorted, "MPI_Abort" ...; NULL beyond the last one. */
    const char *(*name)(int function);

    /* Number of outermost calls of a function, over all threads, and the time in them.
     * Calls in progress do not count. */
    void (*values)(int function, int64_t *calls, int64_t *ns);

    /* Call `function` once before the first MPI call, in the calling thread. It must
     * not call MPI. Returns 0; 1: MPI was called before, and `function` will not be
     * called. */
    int (*tell_first_call)(void (*function)(void));

    /* Keep the counts also in a new file at the absolute `path` (mpi_calls_file.h), which
     * stays readable however this process ends. Once. Returns 0; -EALREADY; another
     * negative errno: the counts stay in memory only. Any thread. */
    int (*keep)(const char *path);

    /* CPU time that a wrapper adds to a call, nanoseconds, measured now on the calling
     * thread, which must not be inside MPI. */
    double (*wrapper_ns)(void);
};

#endif
