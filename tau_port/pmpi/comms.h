/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.h: communicators of the program, as the engine follows them. Compiled once per
 * flavour of MPI. */
#ifndef TAU_PORT_PMPI_COMMS_H
#define TAU_PORT_PMPI_COMMS_H

#include "tau_port/pmpi/messages.h"
#include "tau_port/pmpi/mpi_headers.h"

/* How a new communicator gets its id, the same on all its processes. */
enum pmpi_comm_how {
    PMPI_COMM_CHILD, /* from the parent's id and the number of calls on it: all members of
                        the parent make the call */
    PMPI_COMM_IDUP,  /* like it, but the communicator is not complete yet */
    PMPI_COMM_DRAWN, /* some members make the call: drawn and broadcast on the new one */
    PMPI_COMM_GROUP, /* from a text and a group */
    PMPI_COMM_JOINED /* with another job: none of these messages can be joined */
};

/* Handles as the engine has them: pointers of Open MPI, integers of MPICH. */
static inline uintptr_t pmpi_comm_handle(MPI_Comm comm)
{
    return (uintptr_t)comm;
}

static inline uintptr_t pmpi_request_handle(MPI_Request request)
{
    return (uintptr_t)request;
}

/* The communicator as the engine has it. NULL: it is not followed; counted. */
static inline struct mm_comm *pmpi_comm(MPI_Comm comm)
{
    struct mm_comm *found = mm_engine_comm(pmpi_messages.engine, pmpi_comm_handle(comm));

    if (__builtin_expect(!found, 0))
        pmpi_messages_count(MM_MESSAGES_UNKNOWN_COMM, 1);
    return found;
}

/* Around each call that makes a communicator, whether or not anything is sampled.
 * `before` comes before PMPI, on `parent`, MPI_COMM_NULL if the call has none; its result
 * is for `after`, which comes where PMPI has succeeded.
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
/* Before PMPI_Comm_free and PMPI_Comm_disconnect. */
void pmpi_comm_gone(MPI_Comm comm);
/* After PMPI_Comm_set_name, PMPI_Comm_set_info. */
void pmpi_comm_named(MPI_Comm comm);
void pmpi_comm_info(MPI_Comm comm);

/* Between the files of this folder: all processes, for our own messages; errors are
 * returned. */
extern MPI_Comm pmpi_world;
enum { PMPI_TAG_BATCH = 1, PMPI_TAG_CHANNELS, PMPI_TAG_CLOCK };

/* Follow MPI_COMM_WORLD and MPI_COMM_SELF, 0 or -1;
 * describe communicators in the file, which wait for their names; end. */
int pmpi_comms_begin(void);
void pmpi_comms_describe(void);
void pmpi_comms_end(void);
void pmpi_comms_forget(void);

#endif
