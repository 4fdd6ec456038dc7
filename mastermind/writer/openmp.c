/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.c: connect an experiment to the library that measures OpenMP. */
#include "mastermind/writer/openmp.h"

#include "mastermind/format/openmp_file.h"
#include "tau_port/openmp/openmp_time.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

static const struct meas_openmp *find_openmp(void)
{
    return dlsym(RTLD_DEFAULT, MEAS_OPENMP);
}

int mm_openmp_keep(const char *rank_path)
{
    const struct meas_openmp *openmp = find_openmp();
    char path[PATH_MAX];
    int result;

    if (!openmp)
        return 0;
    if (snprintf(path, sizeof path, "%s/" MEAS_OPENMP_FILE, rank_path) >=
        (int)sizeof path)
        return -ENAMETOOLONG;
    result = openmp->keep(path);
    return result == -EALREADY ? 0 : result;
}

int mm_openmp_tell(void (*function)(void))
{
    const struct meas_openmp *openmp = find_openmp();

    return openmp ? openmp->tell_first_region(function) : -ENOENT;
}

int64_t mm_openmp_cost(void)
{
    const struct meas_openmp *openmp = find_openmp();

    return openmp ? openmp->cost_ns() : 0;
}
