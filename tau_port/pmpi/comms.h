/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.h: communicators of the program, as the engine follows them. Compiled once per
 * flavour of MPI. */
#ifndef TAU_PORT_PMPI_COMMS_H
#define TAU_PORT_PMPI_COMMS_H

#include "tau_port/pmpi/messages.h"
#include "tau_port/pmpi/mpi_headers.h"

/* How a new communicator gets its id, which is the same on all its processes. */
enum pmpi_comm_how {
    PMPI_COMM_CHILD, /* from the parent's id and the number of creating calls on it: all
                      * members of the parent make the call */
    PMPI_COMM_IDUP,  /* like CHILD, but the communicator is not complete yet */
    PMPI_COMM_DRAWN, /* only some members make the call: the id is drawn, and broadcast on
                      * the new communicator */
    PMPI_COMM_GROUP, /* made from a group: the id is computed from a text and the group */
    PMPI_COMM_JOINED /* connected to another job: records of its messages cannot be joined
                      */
};

/* Handles in the engine's form: pointers of Open MPI, integers of MPICH. */
static inline uintptr_t pmpi_comm_handle(MPI_Comm comm)
{
    return (uintptr_t)comm;
}

static inline uintptr_t pmpi_request_handle(MPI_Request request)
{
    return (uintptr_t)request;
}

/* The engine's struct of a communicator. NULL: it is not followed, and a message on it is
 * counted as such. */
static inline struct mm_comm *pmpi_comm(MPI_Comm comm)
{
    struct mm_comm *found = mm_engine_comm(pmpi_messages.engine, pmpi_comm_handle(comm));

    if (__builtin_expect(!found, 0))
        pmpi_messages_count(MM_MESSAGES_UNKNOWN_COMM, 1);
    return found;
}

/* Call these around each call that makes a communicator, with or without sampling.
 * `before` is called before PMPI, with `parent` or MPI_COMM_NULL if the call has none;
 * its result is an argument of `after`, which is called if PMPI has succeeded.
 *
 *   made      in    the new communicator, may be MPI_COMM_NULL
 *   request   in    of PMPI_COMM_IDUP; NULL: none
 *   tag       in    text of PMPI_COMM_GROUP; NULL: none
 *
 * `after` is collective over the new communicator for PMPI_COMM_DRAWN, and local
 * otherwise. Any thread. */
uint64_t pmpi_comm_before(enum pmpi_comm_how how, MPI_Comm parent);
void pmpi_comm_after(enum pmpi_comm_how how, uint64_t before, MPI_Comm parent,
                     MPI_Comm *made, MPI_Request *request, const char *tag);
/* Call before PMPI_Comm_free and PMPI_Comm_disconnect. */
void pmpi_comm_gone(MPI_Comm comm);
/* Call after PMPI_Comm_set_name, PMPI_Comm_set_info. */
void pmpi_comm_named(MPI_Comm comm);
void pmpi_comm_info(MPI_Comm comm);

/* For the files of this folder: a communicator of all processes for our own messages; MPI
 * returns errors on it instead of ending the program. */
extern MPI_Comm pmpi_world;
enum { PMPI_TAG_BATCH = 1, PMPI_TAG_CHANNELS, PMPI_TAG_CLOCK };

/* pmpi_comms_begin follows MPI_COMM_WORLD and MPI_COMM_SELF, and returns 0 or -1. The
 * others describe the communicators that wait for their names, and end following. */
int pmpi_comms_begin(void);
void pmpi_comms_describe(void);
void pmpi_comms_end(void);
void pmpi_comms_forget(void);

#endif
