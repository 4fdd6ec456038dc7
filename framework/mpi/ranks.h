/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: the cohort of an MPI program, shared by the files of this folder, which are
 * compiled once per flavour of MPI.
 *
 * Calls for the framework are PMPI_*, so no measurement sees them; calls for a component
 * are MPI_*, also those that make and end what it uses: who samples its messages follows
 * communicators from MPI_COMM_WORLD on, and requests to their end. */
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
    MPI_Comm comm; /* gathers and alarms */
    int thread_level;
    struct watch *watch; /* or NULL */
    uint64_t gathers;    /* done */
    unsigned generation; /* of the ports' communicators */

    MPI_Request alarm;    /* receives the next one */
    uint64_t heard;       /* the number of the gather that the sender waits in */
    int alarmed_by;       /* or -1 */
    MPI_Request *raising; /* [size] of the alarm sent last */
    uint64_t raised;      /* the sent message */

    MPI_Comm parent;              /* parent of the ports' communicators */
    uint64_t made;                /* of them */
    struct ranks_lent_comm *back; /* [back_count], given back, to be freed */
    int back_count;
    size_t back_room;
    int64_t back_least[4]; /* result of ranks_comms_compare */

    int error;    /* MPI's, of ranks_wait */
    int *indices; /* [room], filled by MPI_Waitsome */
    MPI_Status *statuses;
    int room;
};

/* Wait for `count` requests of MPI; `requests` has room for one more. `statuses` may
 * be NULL. 0; -ECANCELED another rank has failed, and unfinished requests are not
 * NULL; -EIO, -ENOMEM. */
int ranks_wait(struct ranks *ranks, MPI_Request *requests, int count,
               MPI_Status *statuses);

/* comms.c: a communicator for an instance, new. 0; -ECANCELED, -EIO with `err`.
 * Collective. */
int ranks_comm_make(struct ranks *ranks, MPI_Comm *comm, uint64_t *number,
                    struct cca_error *err);
/* Return a communicator that its instance no longer needs. Not collective. */
void ranks_comm_give_back(struct ranks *ranks, MPI_Comm comm, uint64_t number);
/* Free the communicators that all ranks got back: compare, wait for the request, free.
 * Collective. */
int ranks_comms_compare(struct ranks *ranks, MPI_Request *request);
void ranks_comms_free(struct ranks *ranks);
/* Begin, or begin anew after a failure: existing communicators have no owner. 0 or -EIO.
 * Collective. */
int ranks_comms_renew(struct ranks *ranks);

/* ports.c */
struct cca_port *ranks_serve(struct cca_cohort *cohort, const char *type);
void ranks_unserve(struct cca_cohort *cohort, struct cca_port *port);

#endif
