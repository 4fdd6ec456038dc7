/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: the cohort of an MPI program, shared by the files of this folder, which are
 * compiled once for each implementation of MPI.
 *
 * Calls for the framework itself are PMPI_*, which are not measured. Calls for a
 * component are MPI_*, including the creation and freeing of its communicators and
 * requests, because the sampling of messages follows these from MPI_COMM_WORLD on. */
#ifndef FRAMEWORK_MPI_RANKS_H
#define FRAMEWORK_MPI_RANKS_H

#include <mpi.h>

#include "framework/cohort.h"

/* A communicator of an instance. */
struct ranks_lent_comm {
    MPI_Comm comm;
    uint64_t number; /* serial number, the same on all ranks */
};

struct ranks {
    struct cca_cohort cohort;
    MPI_Comm comm; /* communicator for gathers and alarms */
    int thread_level;
    struct watch *watch; /* or NULL */
    uint64_t gathers;    /* number of finished gathers */
    unsigned generation; /* generation of the ports' communicators */

    MPI_Request alarm;    /* request that receives the next alarm */
    uint64_t heard;       /* content of a received alarm: number of the gather in which
                           * its sender waits */
    int alarmed_by;       /* rank that raised the alarm, or -1 */
    MPI_Request *raising; /* [size] requests of the last alarm that was sent */
    uint64_t raised;      /* content of the last alarm that was sent */

    MPI_Comm parent; /* communicator of which the ports' communicators are duplicates */
    uint64_t made;   /* number of duplicates made of `parent` */
    struct ranks_lent_comm *back; /* [back_count] returned communicators to be freed */
    int back_count;
    size_t back_room;
    int64_t back_least[4]; /* result of ranks_comms_compare */

    int error;    /* MPI's error code in ranks_wait */
    int *indices; /* [room] indices of completed requests, from MPI_Waitsome */
    MPI_Status *statuses;
    int room;
};

/* Wait for `count` requests of MPI; `requests` has room for one more. `statuses` may be
 * NULL. Returns 0; -ECANCELED: another rank has failed, and the requests that have not
 * completed are left as they are; -EIO; -ENOMEM. */
int ranks_wait(struct ranks *ranks, MPI_Request *requests, int count,
               MPI_Status *statuses);

/* comms.c: create a communicator for an instance. Returns 0; -ECANCELED, -EIO with `err`.
 * Collective. */
int ranks_comm_make(struct ranks *ranks, MPI_Comm *comm, uint64_t *number,
                    struct cca_error *err);
/* Return a communicator that its instance no longer needs. Not collective. */
void ranks_comm_give_back(struct ranks *ranks, MPI_Comm comm, uint64_t number);
/* Free the communicators that all ranks have returned: start to compare their serial
 * numbers; after the request has completed, free them. Collective. */
int ranks_comms_compare(struct ranks *ranks, MPI_Request *request);
void ranks_comms_free(struct ranks *ranks);
/* Start, or start anew after a failure: the existing communicators then belong to no
 * instance. Returns 0 or -EIO. Collective. */
int ranks_comms_renew(struct ranks *ranks);

/* ports.c */
struct cca_port *ranks_serve(struct cca_cohort *cohort, const char *type);
void ranks_unserve(struct cca_cohort *cohort, struct cca_port *port);
int ranks_minimum_begin(struct cca_cohort *cohort, struct cca_port *port,
                        const double *values, int count);
int ranks_minimum_end(struct cca_cohort *cohort, struct cca_port *port, double *values,
                      int count);

#endif
