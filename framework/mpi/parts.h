/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef FRAMEWORK_MPI_PARTS_H
#define FRAMEWORK_MPI_PARTS_H

#include <sys/types.h>

#include "framework/cohort.h"

struct watch;

/* --- sentinel.c ---------------------------------------------------------- */

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

/* --- watch.c ------------------------------------------------------------- */

/* Launchers end a run when a process was killed, but not all of them report which one. So
 * a sentinel on each machine reports which one was first. Besides, a thread of each rank
 * watches the other ranks on its machine: if the run goes on for a while after one has
 * ended, the thread ends it. */

/* New, or NULL: no rank to watch, or no way to watch. Owns the sentinel. Collective. */
struct watch *watch_new(struct cca_cohort *cohort, struct sentinel *sentinel);
/* Silence the watch: this rank is about to end all ranks and reports that itself. NULL is
 * allowed. */
void watch_silence(const struct watch *watch);
/* End the watch before the ranks end. NULL is allowed. */
void watch_free(struct watch *watch);

#endif
