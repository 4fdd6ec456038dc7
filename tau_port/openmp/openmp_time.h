/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp_time.h: measurements of libmeas_openmp.so, the library around OpenMP.
 *
 * The library stands in the process's global scope before OpenMP, or is absent. Users
 * find it by dlsym(RTLD_DEFAULT, ...) with the symbol MEAS_OPENMP. The times of a thread
 * are in another symbol: common/thread_times.h. */
#ifndef TAU_PORT_OPENMP_OPENMP_TIME_H
#define TAU_PORT_OPENMP_OPENMP_TIME_H

#include <stdint.h>

#define MEAS_OPENMP "meas_openmp_2"

struct meas_openmp {
    /* Call `function` once, before the first parallel region, in the thread that begins
     * it. 0; 1: a region was begun before, `function` is not called. */
    int (*tell_first_region)(void (*function)(void));

    /* Keep the regions, those so far among them, in a new file at the absolute `path`
     * (openmp_file.h), which is readable however this process ends. Once. 0; -EALREADY;
     * another negative errno: the regions stay in memory alone. Any thread. */
    int (*keep)(const char *path);

    /* CPU time that measuring has cost the process so far, ns: numbers of events times
     * the cost of one, measured now on the calling thread, and naming regions. Any
     * thread. */
    int64_t (*cost_ns)(void);
};

#endif
