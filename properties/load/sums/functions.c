/* SPDX-License-Identifier: BSD-3-Clause */
/* functions.c: classes of MPI functions. */
#include "properties/load/sums/sums.h"

#include <string.h>

/* A name belongs to the first entry it begins with; classes as in tau_port/pmpi/kinds.py,
 * which MPI_SPLIT uses. */
static const struct {
    const char *name;
    enum mm_mpi_class class;
} prefixes[] = {
    {"File_", MM_MPI_IO},
    {"Register_datarep", MM_MPI_IO},
    {"Wait", MM_MPI_COMPLETION},
    {"Test_", MM_MPI_CTL},
    {"Test", MM_MPI_COMPLETION},
    {"Request_get", MM_MPI_COMPLETION},
    {"Start", MM_MPI_COMPLETION},
    {"Sendrecv", MM_MPI_RECV},
    {"Isendrecv", MM_MPI_RECV},
    {"Recv", MM_MPI_RECV},
    {"Irecv", MM_MPI_RECV},
    {"Precv", MM_MPI_RECV},
    {"Mrecv", MM_MPI_RECV},
    {"Imrecv", MM_MPI_RECV},
    {"Probe", MM_MPI_RECV},
    {"Iprobe", MM_MPI_RECV},
    {"Mprobe", MM_MPI_RECV},
    {"Improbe", MM_MPI_RECV},
    {"Parrived", MM_MPI_RECV},
    {"Send", MM_MPI_SEND},
    {"Isend", MM_MPI_SEND},
    {"Bsend", MM_MPI_SEND},
    {"Ibsend", MM_MPI_SEND},
    {"Ssend", MM_MPI_SEND},
    {"Issend", MM_MPI_SEND},
    {"Rsend", MM_MPI_SEND},
    {"Irsend", MM_MPI_SEND},
    {"Psend", MM_MPI_SEND},
    {"Pready", MM_MPI_SEND},
    {"Buffer_", MM_MPI_SEND},
    {"Comm_attach_buffer", MM_MPI_SEND},
    {"Comm_detach_buffer", MM_MPI_SEND},
    {"Comm_flush_buffer", MM_MPI_SEND},
    {"Comm_iflush_buffer", MM_MPI_SEND},
    {"Session_attach_buffer", MM_MPI_SEND},
    {"Session_detach_buffer", MM_MPI_SEND},
    {"Session_flush_buffer", MM_MPI_SEND},
    {"Session_iflush_buffer", MM_MPI_SEND},
    {"Put", MM_MPI_SEND},
    {"Rput", MM_MPI_SEND},
    {"Accumulate", MM_MPI_SEND},
    {"Raccumulate", MM_MPI_SEND},
    {"Get_accumulate", MM_MPI_RECV},
    {"Rget", MM_MPI_RECV},
    {"Fetch_and_op", MM_MPI_RECV},
    {"Compare_and_swap", MM_MPI_RECV},
    {"Barrier", MM_MPI_SYNC},
    {"Ibarrier", MM_MPI_SYNC},
    {"Win_fence", MM_MPI_SYNC},
    {"Win_lock", MM_MPI_SYNC},
    {"Win_unlock", MM_MPI_SYNC},
    {"Win_start", MM_MPI_SYNC},
    {"Win_complete", MM_MPI_SYNC},
    {"Win_post", MM_MPI_SYNC},
    {"Win_wait", MM_MPI_SYNC},
    {"Win_test", MM_MPI_SYNC},
    {"Win_flush", MM_MPI_SYNC},
    {"Win_sync", MM_MPI_SYNC},
    {"Allgather", MM_MPI_COLL},
    {"Iallgather", MM_MPI_COLL},
    {"Allreduce", MM_MPI_COLL},
    {"Iallreduce", MM_MPI_COLL},
    {"Alltoall", MM_MPI_COLL},
    {"Ialltoall", MM_MPI_COLL},
    {"Bcast", MM_MPI_COLL},
    {"Ibcast", MM_MPI_COLL},
    {"Gather", MM_MPI_COLL},
    {"Igather", MM_MPI_COLL},
    {"Scatter", MM_MPI_COLL},
    {"Iscatter", MM_MPI_COLL},
    {"Reduce", MM_MPI_COLL},
    {"Ireduce", MM_MPI_COLL},
    {"Scan", MM_MPI_COLL},
    {"Iscan", MM_MPI_COLL},
    {"Exscan", MM_MPI_COLL},
    {"Iexscan", MM_MPI_COLL},
    {"Neighbor_", MM_MPI_COLL},
    {"Ineighbor_", MM_MPI_COLL},
};

enum mm_mpi_class mm_mpi_class_of(const char *name)
{
    if (strncmp(name, "MPIX_", 5) == 0)
        name += 5;
    else if (strncmp(name, "MPI_", 4) == 0)
        name += 4;
    if (strcmp(name, "Get") == 0 || strcmp(name, "Get()") == 0 ||
        strcmp(name, "Get_c") == 0 || strcmp(name, "Get_c()") == 0)
        return MM_MPI_RECV;
    if (strncmp(name, "Reduce_local", 12) == 0) /* sends no messages */
        return MM_MPI_CTL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i].name, strlen(prefixes[i].name)) == 0)
            return prefixes[i].class;
    return MM_MPI_CTL;
}
