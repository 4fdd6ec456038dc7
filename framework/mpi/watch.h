/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h: see the process of another rank end before its time. */
#ifndef FRAMEWORK_MPI_WATCH_H
#define FRAMEWORK_MPI_WATCH_H

#include "framework/cohort.h"

/* Launchers end a run of which a process was killed, but not all of them say whose. So each rank
 * watches those on its machine from a thread of its own. When the first of them ends, the rank
 * after it says so, if the launcher leaves it the time; and where there is a run still a while
 * later, it is ended. */
struct watch;

/* New, or NULL: there is nobody to watch, or it cannot be done here. Collective. */
struct watch *watch_new(struct cca_cohort *cohort);
/* No more: the ranks are about to end. NULL is fine. */
void watch_free(struct watch *watch);

#endif
