/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c: ranks by MPI, or one rank without it. */
#include "examples/mrtd/comm.h"

#ifdef MRTD_MPI
#include <mpi.h>
#endif
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks = 1;
static int64_t inside_ns, began_ns;

static int64_t thread_cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int mrtd_comm_rank(void)
{
    return rank;
}

int mrtd_comm_ranks(void)
{
    return ranks;
}

int64_t mrtd_comm_cpu_ns(void)
{
    return thread_cpu_ns() - began_ns - inside_ns;
}

void mrtd_comm_pause(int32_t ms)
{
    int64_t begin = thread_cpu_ns();

    if (ms > 0)
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
    inside_ns += thread_cpu_ns() - begin;
}

void mrtd_comm_abort(const char *why)
{
    fprintf(stderr, "mrtd: rank %d: %s\n", rank, why);
#ifdef MRTD_MPI
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    exit(1);
}

/* Make malloc keep freed memory in the process. Fields are allocated again when cells
 * move: to return their memory to the kernel, and to get it zeroed, costs more than
 * moving the cells. */
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

#ifdef MRTD_MPI
static MPI_Request *requests; /* pending sends and receives, 2 per rank */
static MPI_Status *statuses;

void mrtd_comm_begin(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    requests = calloc(2 * (size_t)ranks, sizeof(MPI_Request));
    statuses = calloc(2 * (size_t)ranks, sizeof(MPI_Status));
    if (!requests || !statuses)
        MPI_Abort(MPI_COMM_WORLD, 1);
    keep_memory();
    began_ns = thread_cpu_ns();
}

void mrtd_comm_end(void)
{
    free(requests);
    free(statuses);
    MPI_Finalize();
}

void mrtd_comm_swap(const double *out, const int64_t *first_out, double *in,
                    const int64_t *first_in)
{
    int64_t begin = thread_cpu_ns();
    int count = 0;

    for (int r = 0; r < ranks; r++)
        if (r != rank && first_in[r + 1] > first_in[r])
            MPI_Irecv(in + first_in[r], (int)(first_in[r + 1] - first_in[r]), MPI_DOUBLE,
                      r, 0, MPI_COMM_WORLD, &requests[count++]);
    for (int r = 0; r < ranks; r++)
        if (r != rank && first_out[r + 1] > first_out[r])
            MPI_Isend(out + first_out[r], (int)(first_out[r + 1] - first_out[r]),
                      MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, statuses);
    inside_ns += thread_cpu_ns() - begin;
}

void mrtd_comm_gather(const unsigned char *bytes, int32_t count, unsigned char *all,
                      const int32_t *counts)
{
    int64_t begin = thread_cpu_ns();
    int *first = calloc((size_t)ranks, sizeof *first);

    if (!first)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 1; r < ranks; r++)
        first[r] = first[r - 1] + counts[r - 1];
    MPI_Allgatherv(bytes, count, MPI_BYTE, all, counts, first, MPI_BYTE, MPI_COMM_WORLD);
    free(first);
    inside_ns += thread_cpu_ns() - begin;
}

static void reduce(void *values, int32_t count, MPI_Datatype type, MPI_Op op)
{
    int64_t begin = thread_cpu_ns();

    MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, MPI_COMM_WORLD);
    inside_ns += thread_cpu_ns() - begin;
}

void mrtd_comm_max(int64_t *values, int32_t count)
{
    reduce(values, count, MPI_INT64_T, MPI_MAX);
}

void mrtd_comm_sum(int64_t *values, int32_t count)
{
    reduce(values, count, MPI_UINT64_T, MPI_SUM);
}

void mrtd_comm_sum_real(double *values, int32_t count)
{
    reduce(values, count, MPI_DOUBLE, MPI_SUM);
}
#else
void mrtd_comm_begin(void)
{
    keep_memory();
    began_ns = thread_cpu_ns();
}

void mrtd_comm_end(void)
{
}

void mrtd_comm_swap(const double *out, const int64_t *first_out, double *in,
                    const int64_t *first_in)
{
    (void)out, (void)first_out, (void)in, (void)first_in;
}

void mrtd_comm_gather(const unsigned char *bytes, int32_t count, unsigned char *all,
                      const int32_t *counts)
{
    (void)counts;
    memcpy(all, bytes, (size_t)count);
}

void mrtd_comm_max(int64_t *values, int32_t count)
{
    (void)values, (void)count;
}

void mrtd_comm_sum(int64_t *values, int32_t count)
{
    (void)values, (void)count;
}

void mrtd_comm_sum_real(double *values, int32_t count)
{
    (void)values, (void)count;
}
#endif

int32_t mrtd_comm_first(int32_t failed)
{
    int64_t behind = failed ? ranks - rank : 0;

    mrtd_comm_max(&behind, 1);
    return behind ? ranks - (int32_t)behind : -1;
}
