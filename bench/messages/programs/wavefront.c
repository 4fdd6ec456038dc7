/* SPDX-License-Identifier: BSD-3-Clause */
/* wavefront.c: sweeps through a box from its eight corners, pipelined over ranks.
 *
 *   mpirun -n N wavefront [--n 48] [--nz 48] [--block 4] [--angles 6] [--sweeps 2]
 * [--count] mpirun -n 2 wavefront              192 messages of 9,216 bytes
 *
 * Discrete ordinates on n x n x nz cells by diamond differences, with a source that comes
 * from the last sweep (the scheme of E. E. Lewis, W. F. Miller, Computational Methods of
 * Neutron Transport, 1984; the pipeline of K. R. Koch, R. S. Baker, R. E. Alcouffe,
 * 1992). Columns of cells are divided over a grid of ranks. For each octant and block of
 * planes a rank receives the flux through two faces from upstream, works, and sends it
 * downstream, by MPI_Recv and MPI_Send.
 *
 * Rank 0 sweeps the whole box alone, too: the same operations in the same order for each
 * cell, so both results must agree in each bit. */
#include "bench/messages/programs/program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OCTANTS = 8 };

/* A part of the box: columns, all planes. */
struct part {
    int nx, ny;
    double *flux, *source; /* [nz][ny][nx] */
    double *in_x, *in_y,
        *z; /* [block][ny][angles], [block][nx][angles], [ny][nx][angles] */
};

static int n = 48, nz = 48, block = 4, angles = 6, sweeps = 2, want_count;
static int grid[2], at[2];
static struct traffic traffic;

static double *numbers(size_t count)
{
    double *p = calloc(count, sizeof *p);

    if (!p) {
        fprintf(stderr, "wavefront: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

static size_t cells(const struct part *p)
{
    return (size_t)p->nx * (size_t)p->ny * (size_t)nz;
}

static void part_init(struct part *p, int nx, int ny, int planes)
{
    p->nx = nx;
    p->ny = ny;
    p->flux = numbers(cells(p));
    p->source = numbers(cells(p));
    p->in_x = numbers((size_t)planes * (size_t)ny * (size_t)angles);
    p->in_y = numbers((size_t)planes * (size_t)nx * (size_t)angles);
    p->z = numbers((size_t)nx * (size_t)ny * (size_t)angles);
}

static void part_done(struct part *p)
{
    free(p->flux);
    free(p->source);
    free(p->in_x);
    free(p->in_y);
    free(p->z);
}

/* One cell, one direction: the flux in its middle; those through its faces go on. */
static double pass(double source, int angle, double *x, double *y, double *z)
{
    const double mu = 0.2 + 0.1 * angle, eta = 0.9 - 0.1 * angle,
                 xi = 0.35 + 0.05 * angle;
    const double middle = (source + 2 * mu * *x + 2 * eta * *y + 2 * xi * *z) /
                          (1.1 + 2 * mu + 2 * eta + 2 * xi);

    *x = 2 * middle - *x;
    *y = 2 * middle - *y;
    *z = 2 * middle - *z;
    return middle / (OCTANTS * angles);
}

/* Planes first to first + count - 1, counted along the octant's direction. */
static void pass_block(struct part *p, int octant, int first, int count)
{
    for (int b = 0; b < count; b++) {
        const int k = octant & 4 ? nz - 1 - first - b : first + b;

        for (int jj = 0; jj < p->ny; jj++) {
            const int j = octant & 2 ? p->ny - 1 - jj : jj;

            for (int ii = 0; ii < p->nx; ii++) {
                const int i = octant & 1 ? p->nx - 1 - ii : ii;
                const size_t c =
                    ((size_t)k * (size_t)p->ny + (size_t)j) * (size_t)p->nx + (size_t)i;

                for (int a = 0; a < angles; a++)
                    p->flux[c] +=
                        pass(p->source[c], a, &p->in_x[(b * p->ny + j) * angles + a],
                             &p->in_y[(b * p->nx + i) * angles + a],
                             &p->z[(j * p->nx + i) * angles + a]);
            }
        }
    }
}

/* The next source: one everywhere, and half of what the last sweep has left. */
static void begin_sweep(struct part *p)
{
    for (size_t c = 0; c < cells(p); c++)
        p->source[c] = 1 + 0.5 * p->flux[c];
    memset(p->flux, 0, cells(p) * sizeof *p->flux);
}

static void begin_octant(struct part *p)
{
    memset(p->z, 0, (size_t)p->nx * (size_t)p->ny * (size_t)angles * sizeof *p->z);
}

/* The rank before or behind in a direction, or -1 at the box's faces. */
static int neighbour(int d, int step)
{
    const int place = at[d] + step;

    if (place < 0 || place >= grid[d])
        return -1;
    return d == 0 ? at[1] * grid[0] + place : place * grid[0] + at[0];
}

static void receive_face(double *face, int count, int from, int tag)
{
    if (from < 0)
        memset(face, 0, (size_t)count * sizeof *face);
    else
        MPI_Recv(face, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_face(const double *face, int count, int to, int tag)
{
    if (to < 0)
        return;
    MPI_Send(face, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
    traffic_sent(&traffic, to, (size_t)count * sizeof *face);
}

static void sweep_octant(struct part *p, int octant)
{
    const int x = octant & 1 ? -1 : 1, y = octant & 2 ? -1 : 1;

    begin_octant(p);
    for (int first = 0; first < nz; first += block) {
        const int count = nz - first < block ? nz - first : block;

        receive_face(p->in_x, count * p->ny * angles, neighbour(0, -x), octant);
        receive_face(p->in_y, count * p->nx * angles, neighbour(1, -y), octant + OCTANTS);
        pass_block(p, octant, first, count);
        send_face(p->in_x, count * p->ny * angles, neighbour(0, x), octant);
        send_face(p->in_y, count * p->nx * angles, neighbour(1, y), octant + OCTANTS);
    }
}

static void sweep_alone(struct part *p)
{
    for (int s = 0; s < sweeps; s++) {
        begin_sweep(p);
        for (int o = 0; o < OCTANTS; o++) {
            begin_octant(p);
            memset(p->in_x, 0,
                   (size_t)nz * (size_t)p->ny * (size_t)angles * sizeof *p->in_x);
            memset(p->in_y, 0,
                   (size_t)nz * (size_t)p->nx * (size_t)angles * sizeof *p->in_y);
            pass_block(p, o, 0, nz);
        }
    }
}

/* Rank 0: whether the gathered columns are those of the box, in each bit. */
static int same_everywhere(const struct part *p, const double *gathered)
{
    struct part box;
    int same = 1;

    part_init(&box, n, n, nz);
    sweep_alone(&box);
    for (int r = 0; r < grid[0] * grid[1]; r++)
        for (int k = 0; k < nz; k++)
            for (int j = 0; j < p->ny; j++) {
                const size_t row =
                    (size_t)k * (size_t)n + (size_t)(r / grid[0] * p->ny + j);
                const double *own =
                    gathered + (size_t)r * cells(p) +
                    ((size_t)k * (size_t)p->ny + (size_t)j) * (size_t)p->nx;

                same &= !memcmp(own, box.flux + row * (size_t)n + r % grid[0] * p->nx,
                                (size_t)p->nx * sizeof *own);
            }
    part_done(&box);
    return same;
}

static int is_right(const struct part *p, int rank)
{
    double *gathered = rank ? NULL : numbers((size_t)n * (size_t)n * (size_t)nz);
    int right = 1;

    MPI_Gather(p->flux, (int)cells(p), MPI_DOUBLE, gathered, (int)cells(p), MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
    if (rank == 0)
        right = same_everywhere(p, gathered);
    free(gathered);
    return right;
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"n", &n, 1, 512},
        {"nz", &nz, 1, 512},
        {"block", &block, 1, 512},
        {"angles", &angles, 1, 8},
        {"sweeps", &sweeps, 1, 1000},
        {"count", &want_count, 0, 0},
        {NULL, NULL, 0, 0},
    };
    struct part own;
    double start, seconds;
    int rank, ranks, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    program_options(argc, argv, options);
    MPI_Dims_create(ranks, 2, grid);
    if (n % grid[0] || n % grid[1]) {
        if (rank == 0)
            fprintf(stderr, "wavefront: found --n %d, expected a multiple of %d and %d\n",
                    n, grid[0], grid[1]);
        MPI_Finalize();
        return 2;
    }
    at[0] = rank % grid[0];
    at[1] = rank / grid[0];
    part_init(&own, n / grid[0], n / grid[1], block);
    if (traffic_init(&traffic, ranks))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int s = 0; s < sweeps; s++) {
        begin_sweep(&own);
        for (int o = 0; o < OCTANTS; o++)
            sweep_octant(&own, o);
    }
    seconds = MPI_Wtime() - start;
    if (rank == 0)
        printf("solve_s %.6f\n", seconds);
    if (want_count)
        traffic_print(&traffic);
    status = program_verdict("wavefront", is_right(&own, rank));
    part_done(&own);
    traffic_done(&traffic);
    MPI_Finalize();
    return status;
}
