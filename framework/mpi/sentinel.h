/* SPDX-License-Identifier: BSD-3-Clause */
/* sentinel.h: a process that reports which rank's process ended first. */
#ifndef FRAMEWORK_MPI_SENTINEL_H
#define FRAMEWORK_MPI_SENTINEL_H

#include <sys/types.h>

/* When a process of a run is killed, the launcher ends the others; Hydra, MPICH's, leaves
 * them no time for a message. So one process that the launcher does not know watches all
 * ranks of a machine. It holds standard error, and nothing else of the rank that
 * made it. */
struct sentinel {
    int fd; /* -1: no sentinel */
    pid_t pid;
};

/* Start a sentinel before MPI begins, while this process is small and holds nothing
 * that must not be shared. */
void sentinel_begin(struct sentinel *sentinel);
/* From now on watch the processes of `count` ranks. */
void sentinel_watch(const struct sentinel *sentinel, const int *ranks, const pid_t *pids,
                    int count);
/* End the watch: of this rank's process, or of another rank's by its number. */
void sentinel_end(struct sentinel *sentinel);
void sentinel_silence(pid_t pid);

#endif
