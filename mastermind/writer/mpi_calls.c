/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.c: keep a file of MPI calls in a rank's folder while the rank runs. */
#include "mastermind/writer/parts.h"
#include "mastermind/format/mpi_calls_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static int path_of(char path[PATH_MAX], const char *rank_path)
{
    return snprintf(path, PATH_MAX, "%s/" MEAS_CALLS_FILE, rank_path) < PATH_MAX
               ? 0
               : -ENAMETOOLONG;
}

int mm_mpi_calls_keep(const struct meas_mpi *mpi, const char *rank_path)
{
    char path[PATH_MAX];
    int result = mpi ? path_of(path, rank_path) : 0;

    if (mpi && !result)
        result = mpi->keep(path);
    return result == -EALREADY ? 0 : result;
}

void mm_mpi_calls_remove(const char *rank_path)
{
    char path[PATH_MAX];

    if (path_of(path, rank_path) == 0)
        unlink(path);
}
