/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp_time.h: measurements of libmeas_openmp.so, the library around OpenMP.
 *
 * The library is in the process's global scope before OpenMP, or is absent. Find it by
 * dlsym(RTLD_DEFAULT, ...) with the symbol MEAS_OPENMP. The times of a thread are under
 * another symbol: common/thread_times.h. */
#ifndef TAU_PORT_OPENMP_OPENMP_TIME_H
#define TAU_PORT_OPENMP_OPENMP_TIME_H

#include <stdint.h>

#define MEAS_OPENMP "meas_openmp_2"

struct meas_openmp {
    /* Call `function` once, before the first parallel region, in the thread that begins
     * it. Returns 0; or 1 if a region has begun already, and `function` will not be
     * called. */
    int (*tell_first_region)(void (*function)(void));

    /* Keep all regions, earlier ones included, in a new file at the absolute `path`
     * (openmp_file.h), which stays readable however this process ends. Once. Returns 0;
     * -EALREADY; another negative errno: the regions stay in memory only. Any thread. */
    int (*keep)(const char *path);

    /* CPU time that measuring has cost the process so far, ns: numbers of events times
     * the cost of one, which is measured now on the calling thread, plus the naming of
     * regions. Any thread. */
    int64_t (*cost_ns)(void);
};

#endif
