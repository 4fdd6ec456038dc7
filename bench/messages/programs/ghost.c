/* SPDX-License-Identifier: BSD-3-Clause */
/* ghost.c: the heat equation on a mesh with ghost cells: few, large messages.
 *
 *   mpirun -n N ghost [--n 96] [--dims 3] [--steps 50] [--count]
 *   mpirun -n 2 ghost --n 128          100 messages of 128 KiB
 *
 * Explicit steps of u_t = div grad u on n^dims points inside the unit square or cube,
 * with u = 0 around. In each step every rank exchanges whole faces with its neighbours in
 * a Cartesian grid of ranks: MPI_Irecv, MPI_Isend of subarrays, MPI_Waitall;
 * MPI_PROC_NULL at the walls.
 *
 * Products of sines are eigenvectors of the step: after t steps each has been multiplied
 * by the t-th power of its factor. The result is held against that closed form. */
#include "bench/messages/programs/program.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 3, SIDES = 2 * DIMS, MODES = 3 };

static int n = 96, dims = 3, steps = 50, want_count;
static int grid[DIMS] = {1, 1, 1}, at[DIMS]; /* grid of ranks, place in it */
static int size[DIMS], first[DIMS];          /* own points, index of the first */
static int pitch[DIMS];                      /* distance of neighbours in an array */
static int peer[SIDES];
static MPI_Datatype inner[SIDES], outer[SIDES]; /* own points at a side, ghosts beyond */
static MPI_Comm cart;
static double *u, *next;
static struct traffic traffic;
static const int mode[MODES][DIMS] = {{1, 1, 1}, {2, 3, 1}, {4, 1, 5}};

static size_t points(void)
{
    return (size_t)(size[0] + 2) * (size_t)(size[1] + 2) * (size_t)(size[2] + 2);
}

static void divide(void)
{
    for (int d = 0; d < DIMS; d++) {
        const int all = d < dims ? n : 1, rest = all % grid[d];

        size[d] = all / grid[d] + (at[d] < rest);
        first[d] = at[d] * (all / grid[d]) + (at[d] < rest ? at[d] : rest);
    }
    pitch[2] = 1;
    pitch[1] = size[2] + 2;
    pitch[0] = pitch[1] * (size[1] + 2);
}

static MPI_Datatype face(int d, int where)
{
    int whole[DIMS], part[DIMS], start[DIMS];
    MPI_Datatype type;

    for (int e = 0; e < DIMS; e++) {
        whole[e] = size[e] + 2;
        part[e] = e == d ? 1 : size[e];
        start[e] = e == d ? where : 1;
    }
    MPI_Type_create_subarray(DIMS, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void end_too_small(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "ghost: found --n %d, expected at least %d\n", n, grid[0]);
    MPI_Finalize();
    exit(2);
}

static void set_up(void)
{
    int periods[DIMS] = {0, 0, 0}, rank, ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int d = 0; d < dims; d++)
        grid[d] = 0;
    MPI_Dims_create(ranks, DIMS, grid);
    if (n < grid[0]) /* the greatest of them */
        end_too_small();
    MPI_Cart_create(MPI_COMM_WORLD, DIMS, grid, periods, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, DIMS, at);
    divide();
    for (int d = 0; d < DIMS; d++) {
        MPI_Cart_shift(cart, d, 1, &peer[2 * d], &peer[2 * d + 1]);
        inner[2 * d] = face(d, 1);
        inner[2 * d + 1] = face(d, size[d]);
        outer[2 * d] = face(d, 0);
        outer[2 * d + 1] = face(d, size[d] + 1);
    }
    u = calloc(points(), sizeof *u);
    next = calloc(points(), sizeof *next);
    if (!u || !next || traffic_init(&traffic, ranks)) {
        fprintf(stderr, "ghost: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void exchange(void)
{
    MPI_Request requests[2 * SIDES];
    int used = 0, bytes;

    for (int s = 0; s < 2 * dims; s++)
        MPI_Irecv(u, 1, outer[s], peer[s], s ^ 1, cart, &requests[used++]);
    for (int s = 0; s < 2 * dims; s++) {
        MPI_Isend(u, 1, inner[s], peer[s], s, cart, &requests[used++]);
        if (peer[s] == MPI_PROC_NULL)
            continue;
        MPI_Type_size(inner[s], &bytes);
        traffic_sent(&traffic, peer[s], (size_t)bytes);
    }
    MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
}

/* r = dt / h^2, well within the limit 1 / (2 dims) */
static double ratio(void)
{
    return 0.2 / dims;
}

static void step(void)
{
    const double r = ratio();
    double *swap;

    for (int i = 1; i <= size[0]; i++)
        for (int j = 1; j <= size[1]; j++)
            for (int k = 1; k <= size[2]; k++) {
                const size_t c = (size_t)(i * pitch[0] + j * pitch[1] + k);
                double around = 0;

                for (int d = 0; d < dims; d++)
                    around += u[c - (size_t)pitch[d]] + u[c + (size_t)pitch[d]];
                next[c] = u[c] + r * (around - 2 * dims * u[c]);
            }
    swap = u;
    u = next;
    next = swap;
}

static double sine(int m, int d, int index)
{
    return d < dims ? sin(M_PI * mode[m][d] * (index + 1) / (n + 1)) : 1;
}

/* What one step multiplies mode m by. */
static double factor(int m)
{
    double sum = 0;

    for (int d = 0; d < dims; d++)
        sum += 2 - 2 * cos(M_PI * mode[m][d] / (n + 1));
    return 1 - ratio() * sum;
}

/* The solution after so many steps: set it, or, with check, return the greatest distance
 * from it. */
static double solution(int after, int check)
{
    double error = 0;

    for (int i = 0; i < size[0]; i++)
        for (int j = 0; j < size[1]; j++)
            for (int k = 0; k < size[2]; k++) {
                double *c = &u[(i + 1) * pitch[0] + (j + 1) * pitch[1] + k + 1], sum = 0;

                for (int m = 0; m < MODES; m++)
                    sum += pow(factor(m), after) * sine(m, 0, first[0] + i) *
                           sine(m, 1, first[1] + j) * sine(m, 2, first[2] + k);
                if (check)
                    error = fmax(error, fabs(*c - sum));
                else
                    *c = sum;
            }
    return error;
}

static void tear_down(void)
{
    for (int s = 0; s < SIDES; s++) {
        MPI_Type_free(&inner[s]);
        MPI_Type_free(&outer[s]);
    }
    MPI_Comm_free(&cart);
    traffic_done(&traffic);
    free(u);
    free(next);
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"n", &n, 1, 4096},
        {"dims", &dims, 2, 3},
        {"steps", &steps, 0, 1000000},
        {"count", &want_count, 0, 0},
        {NULL, NULL, 0, 0},
    };
    double start, seconds, error, worst;
    int rank, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    program_options(argc, argv, options);
    set_up();
    solution(0, 0);
    MPI_Barrier(cart);
    start = MPI_Wtime();
    for (int t = 0; t < steps; t++) {
        exchange();
        step();
    }
    seconds = MPI_Wtime() - start;
    error = solution(steps, 1);
    MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("error %.3g\nsolve_s %.6f\n", worst, seconds);
    if (want_count)
        traffic_print(&traffic);
    status = program_verdict("ghost", error < 1e-10);
    tear_down();
    MPI_Finalize();
    return status;
}
