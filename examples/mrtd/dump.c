/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.c: write all coefficients into a file, independent of the cells' owners. */
#include "examples/mrtd/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "examples/mrtd/comm.h"

static int write_cell(int fd, const struct mrtd_run *run, int32_t s)
{
    double words[2 * MRTD_COEFFICIENTS];
    off_t at = (off_t)run->parts->cell[s] * (off_t)sizeof words;

    for (int f = 0; f < 2; f++)
        memcpy(words + f * MRTD_COEFFICIENTS,
               run->field->half[f].value + MRTD_COEFFICIENTS * (int64_t)s,
               MRTD_COEFFICIENTS * sizeof *words);
    return pwrite(fd, words, sizeof words, at) == (ssize_t)sizeof words ? 0 : 3;
}

int mrtd_run_dump(const struct mrtd_run *run)
{
    const char *path = run->options.dump;
    int64_t status = 0;
    int fd = -1;

    if (run->parts->rank == 0) { /* rank 0 truncates the file before other ranks write */
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        status = fd < 0 ? 3 : 0;
    }
    mrtd_comm_max(&status, 1);
    if (run->parts->rank != 0 && !status) {
        fd = open(path, O_WRONLY | O_CLOEXEC);
        status = fd < 0 ? 3 : 0;
    }
    for (int32_t s = 0; s < run->parts->own && !status; s++)
        status = write_cell(fd, run, s);
    if (status && (fd >= 0 || run->parts->rank == 0))
        fprintf(stderr, "mrtd: --dump '%s': %s\n", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    mrtd_comm_max(&status, 1);
    return (int)status;
}
