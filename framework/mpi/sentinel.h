/* SPDX-License-Identifier: BSD-3-Clause */
/* sentinel.h: a process that reports which rank's process ended first. */
#ifndef FRAMEWORK_MPI_SENTINEL_H
#define FRAMEWORK_MPI_SENTINEL_H

#include <sys/types.h>

/* When a process of a run is killed, the launcher ends the others; MPICH's Hydra leaves
 * them no time for a message. So one process, unknown to the launcher, watches all ranks
 * of a machine. Of its rank's files it keeps standard error only. */
struct sentinel {
    int fd; /* -1: no sentinel */
    pid_t pid;
};

/* Start a sentinel before MPI begins, while this process is small and has no resources
 * that a child must not share. */
void sentinel_begin(struct sentinel *sentinel);
/* Watch the processes of `count` ranks from now on. */
void sentinel_watch(const struct sentinel *sentinel, const int *ranks, const pid_t *pids,
                    int count);
/* End the watch: of this rank's process, or of another rank's by its number. */
void sentinel_end(struct sentinel *sentinel);
void sentinel_silence(pid_t pid);

#endif
