/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h: notice that the process of another rank has ended early. */
#ifndef FRAMEWORK_MPI_WATCH_H
#define FRAMEWORK_MPI_WATCH_H

#include "framework/cohort.h"
#include "framework/mpi/sentinel.h"

/* Launchers end a run when a process was killed, but not all of them report which one. So
 * a sentinel on each machine reports which one was first. Besides, a thread of each rank
 * watches the other ranks on its machine: if the run goes on for a while after one has
 * ended, the thread ends it. */
struct watch;

/* New, or NULL: no rank to watch, or no way to watch. Owns the sentinel. Collective. */
struct watch *watch_new(struct cca_cohort *cohort, struct sentinel *sentinel);
/* Silence the watch: this rank is about to end all ranks and reports that itself. NULL is
 * allowed. */
void watch_silence(const struct watch *watch);
/* End the watch before the ranks end. NULL is allowed. */
void watch_free(struct watch *watch);

#endif
