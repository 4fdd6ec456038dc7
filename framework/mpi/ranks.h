/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: the cohort of an MPI program, shared by the files of this folder. They are compiled
 * once per flavour of MPI.
 *
 * What serves the framework calls PMPI_*, so that it appears in nobody's measurement; what a
 * component asks for calls MPI_*. */
#ifndef FRAMEWORK_MPI_RANKS_H
#define FRAMEWORK_MPI_RANKS_H

#include <mpi.h>

#include "framework/cohort.h"

struct ranks {
    struct cca_cohort cohort;
    MPI_Comm comm; /* gathers and alarms */
    int thread_level;
    struct watch *watch; /* or NULL */
    uint64_t gathers;    /* done */
    unsigned generation; /* of the ports' communicators */

    MPI_Request alarm;      /* receives the next one */
    uint64_t heard;         /* what it has: number of the gather that its sender waits in */
    int alarmed_by;         /* or -1 */
    MPI_Request *raising;   /* [size] of the alarm sent last */
    uint64_t raised;        /* what was sent */

    int *indices; /* [room], what MPI_Waitsome says */
    MPI_Status *statuses;
    int room;
};

/* Wait for `count` requests of MPI; `requests` has room for one more. `statuses` may be NULL. 0;
 * -ECANCELED another rank has failed: requests that are not done are not NULL then; -EIO, -ENOMEM. */
int ranks_wait(struct ranks *ranks, MPI_Request *requests, int count, MPI_Status *statuses);

/* ports.c */
struct cca_port *ranks_serve(struct cca_cohort *cohort, const char *type);
void ranks_unserve(struct cca_cohort *cohort, struct cca_port *port);

#endif
