/* SPDX-License-Identifier: BSD-3-Clause */
/* relax.c: relaxation of strips: each rank exchanges one row with both neighbours.
 *
 *   mpirun -n N relax [--columns 32] [--rows 4] [--sweeps 2000] [--late RANK]
 *                     [--late-us 20] [--count]
 *
 * Jacobi's iteration for Laplace's equation on N x rows rows between a wall of 1 and one
 * of 0, around in the other direction. It depends on the row alone, so each row is held
 * against the same iteration of one column, which each rank does alone. Rank --late
 * computes so many us longer in each sweep, and its neighbours wait for it. */
#include "bench/messages/programs/program.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int columns = 32, rows = 4, sweeps = 2000, late = -1, late_us = 20, want_count;
static int rank, ranks;
static struct traffic traffic;

static double *numbers(size_t count)
{
    double *p = calloc(count, sizeof *p);

    if (!p) {
        fprintf(stderr, "relax: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

static void compute_longer(void)
{
    const double until = MPI_Wtime() + 1e-6 * late_us;

    while (rank == late && MPI_Wtime() < until)
        continue;
}

/* One sweep over the own rows; u has a row more on each side. */
static void smooth(double *u, double *next)
{
    const int up = rank ? rank - 1 : MPI_PROC_NULL;
    const int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double *last = u + (size_t)rows * (size_t)columns, *below = last + columns;
    MPI_Request requests[2];

    MPI_Isend(u + columns, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(last, columns, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv(u, columns, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(below, columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (up != MPI_PROC_NULL)
        traffic_sent(&traffic, up, (size_t)columns * sizeof *u);
    if (down != MPI_PROC_NULL)
        traffic_sent(&traffic, down, (size_t)columns * sizeof *u);
    for (int j = 1; j <= rows; j++)
        for (int i = 0; i < columns; i++) {
            const double *c = u + (size_t)j * (size_t)columns + i;
            const int left = i ? -1 : columns - 1,
                      right = i + 1 < columns ? 1 : 1 - columns;

            next[c - u] = 0.25 * (c[left] + c[right] + c[-columns] + c[columns]);
        }
    compute_longer();
}

/* The same of one column, as long as all ranks' rows. */
static void smooth_column(double *v, double *next, int length)
{
    for (int j = 1; j <= length; j++)
        next[j] = 0.25 * (v[j] + v[j] + v[j - 1] + v[j + 1]);
}

static int is_right(const double *u)
{
    const int length = rows * ranks;
    double *v = numbers((size_t)length + 2), *next = numbers((size_t)length + 2), *swap;
    int right = 1;

    v[0] = next[0] = 1;
    for (int s = 0; s < sweeps; s++) {
        smooth_column(v, next, length);
        swap = v;
        v = next;
        next = swap;
    }
    for (int j = 1; j <= rows; j++)
        for (int i = 0; i < columns; i++)
            right &= fabs(u[(size_t)j * (size_t)columns + (size_t)i] -
                          v[rank * rows + j]) < 1e-12;
    free(v);
    free(next);
    return right;
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"columns", &columns, 1, 1000000},
        {"rows", &rows, 1, 10000},
        {"sweeps", &sweeps, 1, 10000000},
        {"late", &late, 0, 10000},
        {"late-us", &late_us, 1, 1000000},
        {"count", &want_count, 0, 0},
        {NULL, NULL, 0, 0},
    };
    double *u, *next, *swap, start, seconds;
    size_t count;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    program_options(argc, argv, options);
    count = (size_t)(rows + 2) * (size_t)columns;
    u = numbers(count);
    next = numbers(count);
    for (int i = 0; i < columns && rank == 0; i++)
        u[i] = next[i] = 1;
    if (traffic_init(&traffic, ranks))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int s = 0; s < sweeps; s++) {
        smooth(u, next);
        swap = u;
        u = next;
        next = swap;
    }
    seconds = MPI_Wtime() - start;
    if (rank == 0)
        printf("solve_s %.6f\n", seconds);
    if (want_count)
        traffic_print(&traffic);
    status = program_verdict("relax", is_right(u));
    free(u);
    free(next);
    traffic_done(&traffic);
    MPI_Finalize();
    return status;
}
