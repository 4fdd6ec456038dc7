/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef FRAMEWORK_MPI_PARTS_H
#define FRAMEWORK_MPI_PARTS_H

#include <sys/types.h>

#include "framework/cohort.h"

struct watch;

/* --- sentinel.c ---------------------------------------------------------- */

/* When a process of a run is killed, the launcher ends the others; MPICH's Hydra leaves
 * them no time for a message. So one process that the launcher does not know, the
 * sentinel, watches all ranks of a machine. A rank starts it; of the rank's open files it
 * keeps standard error only. */
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
/* End the watch over this rank's process; over another rank's process, by its process id.
 */
void sentinel_end(struct sentinel *sentinel);
void sentinel_silence(pid_t pid);

/* --- watch.c ------------------------------------------------------------- */

/* Launchers end a run when a process was killed, but not all of them report which
 * process. So a sentinel on each machine reports which process was the first. Besides, a
 * thread of each rank watches the other ranks on its machine: if the run goes on for a
 * while after a rank has ended, the thread ends the run. */

/* Make the watch over other ranks, which owns the sentinel. Returns NULL: there is no
 * rank to watch, or no way to watch. Collective. */
struct watch *watch_new(struct cca_cohort *cohort, struct sentinel *sentinel);
/* Silence the watch: this rank is about to end all ranks, and has reported so. NULL is
 * allowed. */
void watch_silence(const struct watch *watch);
/* End the watch before the ranks end. NULL is allowed. */
void watch_free(struct watch *watch);

#endif
