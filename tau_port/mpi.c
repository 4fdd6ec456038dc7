/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.c: time inside MPI, measured by the library of wrappers. Its functions appear as
 * timers of the group "MPI", "MPI_Waitsome()". */
#include "tau_port/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 65536 };

static int add_timer(struct meas *meas, struct meas_name *group, const char *function,
                     struct cca_error *err)
{
    const struct meas_name *timer;
    char *text;

    if (asprintf(&text, "%s()", function) < 0)
        return cca_no_memory(err);
    timer = meas_names_get(&meas->timers, text, group, MOST_NAMES, err);
    free(text);
    return timer ? 0 : -ENOMEM;
}

int meas_mpi_init(struct meas *meas, struct cca_error *err)
{
    const struct meas_mpi *mpi = dlsym(RTLD_DEFAULT, MEAS_MPI);
    struct meas_name *group;
    const char *function;

    meas->mpi_why = mpi ? MEAS_MPI_NOT_TIMED : "no library of MPI is wrapped here";
    if (!mpi || !mpi->is_timed())
        return 0;
    group = meas_names_get(&meas->groups, MEAS_MPI_GROUP, NULL, MOST_NAMES, err);
    if (!group)
        return -ENOMEM;
    while ((function = mpi->name(meas->mpi_count))) {
        if (add_timer(meas, group, function, err))
            return -ENOMEM;
        meas->mpi_count++;
    }
    meas->mpi = mpi;
    mpi->enable(1);
    return 0;
}

void meas_mpi_group(struct meas *meas, const char *group, int on)
{
    if (meas->mpi && group && strcmp(group, MEAS_MPI_GROUP) == 0)
        meas->mpi->enable(on);
}

void meas_mpi_add(const struct meas *meas, int timer,
                  struct measurement_timer_values *values)
{
    int64_t calls, ns;

    if (!meas->mpi || timer < 0 || timer >= meas->mpi_count)
        return;
    meas->mpi->values(timer, &calls, &ns);
    values->calls += calls;
    values->inclusive_ns += ns;
    values->exclusive_ns += ns;
}

const int64_t *meas_mpi_time(struct measurement_port *self)
{
    const struct meas *meas = meas_of_port(self);

    return meas->mpi ? meas->mpi->thread_ns() : NULL;
}
