/* SPDX-License-Identifier: BSD-3-Clause */
/* stage.c: rank 1 waits inside MPI for rank 0, which sleeps; each stage by other calls.
 */
#include "stage.h"

#include <mpi.h>
#include <unistd.h>

void stage_fortran_(int *which, int *rank);

enum { TAG = 5 };
static int word[4];

static void receive(int which)
{
    MPI_Request requests[2];

    switch (which) {
    case 0:
        MPI_Recv(word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Irecv(word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Recv_init(word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, requests);
        MPI_Start(requests);
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(requests);
        break;
    default: /* of two kinds */
        MPI_Irecv(word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, requests);
        MPI_Isend(word + 1, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, requests + 1);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void send(int which)
{
    MPI_Send(word, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    if (which == 3)
        MPI_Recv(word, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_late(int which, int rank)
{
    MPI_Request request;

    if (rank == 0)
        MPI_Recv(word, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (which == 4)
        MPI_Ssend(word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    else {
        MPI_Issend(word, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* A receive that no wrapper has seen pends beside the reduction, and stays. */
static void together_beside_another(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int done, which[2];

    PMPI_Irecv(word + 2, 1, MPI_INT, 0, TAG + 2, MPI_COMM_WORLD, requests);
    MPI_Iallreduce(word, word + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, requests + 1);
    MPI_Waitsome(2, requests, &done, which, statuses);
    PMPI_Cancel(requests);
    PMPI_Wait(requests, statuses);
}

static void together(int which)
{
    MPI_Request request;
    MPI_Comm comm;

    switch (which) {
    case 6:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case 7:
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 8:
        MPI_Allreduce(word, word + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case 9:
        together_beside_another();
        break;
    case 10:
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
        break;
    default: {
        MPI_File file;

        MPI_File_open(MPI_COMM_WORLD, "stage.data", MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &file);
        MPI_File_close(&file);
    }
    }
}

int stage(int which, int ms)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        usleep((useconds_t)ms * 1000);
    if (which >= 12)
        stage_fortran_(&which, &rank);
    else if (which < 4 && rank == 0)
        send(which);
    else if (which < 4)
        receive(which);
    else if (which < 6)
        send_late(which, rank);
    else
        together(which);
    return which;
}
