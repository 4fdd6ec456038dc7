/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h: see the process of another rank end before its time. */
#ifndef FRAMEWORK_MPI_WATCH_H
#define FRAMEWORK_MPI_WATCH_H

#include "framework/cohort.h"
#include "framework/mpi/sentinel.h"

/* Launchers end a run of which a process was killed, but not all of them say whose. So a
 * sentinel on each machine says which was the first; and each rank watches the others on
 * its machine from a thread of its own: where there is a run still a while after one of
 * them has ended, it is ended. */
struct watch;

/* New, or NULL: there is nobody to watch, or it cannot be done here. Takes the sentinel.
 * Collective. */
struct watch *watch_new(struct cca_cohort *cohort, struct sentinel *sentinel);
/* This rank is about to end them all, and says so itself. NULL is fine. */
void watch_silence(const struct watch *watch);
/* No more: the ranks are about to end. NULL is fine. */
void watch_free(struct watch *watch);

#endif
