/* SPDX-License-Identifier: BSD-3-Clause */
/* multigrid.c: Poisson's equation by semicoarsening multigrid: many small messages.
 *
 *   mpirun -n N multigrid [--n 32] [--nz 64] [--solves 1] [--cycles 40] [--testall]
 *                         [--count]
 *   mpirun -n 2 multigrid --n 64 --nz 48 --solves 2
 *                                      464,904 messages of 16 to 512 bytes
 *
 * -div grad u = f in the unit cube, u = 0 on its faces, n x n x nz cells. Only z is
 * coarsened in the outer V-cycle; planes are relaxed in zebra order, each by one V-cycle
 * in its plane with red and black Gauss-Seidel (the construction of J. E. Dendy, M. P.
 * Ida, J. M. Rutledge, "A semicoarsening multigrid algorithm for SIMD machines", SIAM J.
 * Sci. Stat. Comput. 13, 1992). The x-y plane is divided over ranks, z is not: each half
 * sweep over each plane of each level exchanges one line of cells with each neighbour, 8
 * bytes a cell.
 *
 * The right side is a sum of products of sines. These are eigenvectors of the discrete
 * operator, too, so the discrete solution is known in closed form; the result is held
 * against it. */
#include "bench/messages/programs/multigrid.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 3 };

/* One length of columns: nz / 2^l planes. */
struct column {
    int nz;
    double per_h2;
    double **u, **f; /* [nz] planes of level 0 */
};

static struct column columns[LEVELS];
static int column_levels;
static double *right_side; /* of one plane */
static struct traffic traffic;
static int n = 32, nz = 64, solves = 1, most_cycles = 40, use_testall, want_count;
static const int mode[MODES][3] = {{1, 1, 1}, {3, 2, 5}, {4, 7, 2}};

/* What the directions z and the faces below and above add to the diagonal of plane k. */
static double shift_of(const struct column *c, int k)
{
    return c->per_h2 * (2 + (k == 0) + (k == c->nz - 1));
}

static void add_planes(const struct column *c, int k, const double *f, double *sum)
{
    const struct plane *p = &planes[0];
    const double *below = k ? c->u[k - 1] : NULL,
                 *above = k + 1 < c->nz ? c->u[k + 1] : NULL;

    for (int j = 1; j <= p->my; j++)
        for (int i = j * p->pitch + 1; i <= j * p->pitch + p->mx; i++)
            sum[i] = f[i] + c->per_h2 * ((below ? below[i] : 0) + (above ? above[i] : 0));
}

static void zebra(const struct column *c)
{
    for (int parity = 0; parity < 2; parity++)
        for (int k = parity; k < c->nz; k += 2) {
            add_planes(c, k, c->f[k], right_side);
            plane_cycle(0, c->u[k], right_side, shift_of(c, k));
        }
}

/* The residual of plane k, in planes[0].r */
static void column_residual(const struct column *c, int k)
{
    add_planes(c, k, c->f[k], right_side);
    plane_residual(&planes[0], c->u[k], right_side, shift_of(c, k), planes[0].r);
}

static size_t cell_count(void)
{
    return plane_bytes(&planes[0]) / sizeof(double);
}

static void column_cycle(int level)
{
    const struct column *c = &columns[level], *coarse = c + 1;

    zebra(c);
    if (level == column_levels - 1) {
        zebra(c);
        return;
    }
    for (int k = 0; k < c->nz; k++) {
        column_residual(c, k);
        if (k % 2 == 0)
            memset(coarse->f[k / 2], 0, plane_bytes(&planes[0]));
        for (size_t i = 0; i < cell_count(); i++)
            coarse->f[k / 2][i] += 0.5 * planes[0].r[i];
    }
    for (int k = 0; k < coarse->nz; k++)
        memset(coarse->u[k], 0, plane_bytes(&planes[0]));
    column_cycle(level + 1);
    for (int k = 0; k < c->nz; k++) {
        const int next = k & 1 ? k / 2 + 1 : k / 2 - 1,
                  inside = next >= 0 && next < coarse->nz;
        const double *near = coarse->u[k / 2], *far = inside ? coarse->u[next] : near;
        const double sign = inside ? 0.25 : -0.25;

        for (size_t i = 0; i < cell_count(); i++)
            c->u[k][i] += 0.75 * near[i] + sign * far[i];
    }
    zebra(c);
}

/* Product of sines of mode m at a cell, and the eigenvalue of the discrete operator. */
static double sines(int m, int i, int j, int k)
{
    return sin(M_PI * mode[m][0] * (i + 0.5) / n) *
           sin(M_PI * mode[m][1] * (j + 0.5) / n) *
           sin(M_PI * mode[m][2] * (k + 0.5) / nz);
}

static double eigenvalue(int m)
{
    double sum = 0;

    for (int d = 0; d < 3; d++) {
        const double h = 1.0 / (d < 2 ? n : nz), s = sin(0.5 * M_PI * mode[m][d] * h);

        sum += 4 / (h * h) * s * s;
    }
    return sum;
}

static double solution(int i, int j, int k)
{
    double sum = 0;

    for (int m = 0; m < MODES; m++)
        sum += sines(m, i, j, k);
    return sum;
}

static void set_problem(void)
{
    const struct plane *p = &planes[0];

    for (int k = 0; k < nz; k++) {
        memset(columns[0].u[k], 0, plane_bytes(p));
        for (int j = 0; j < p->my; j++)
            for (int i = 0; i < p->mx; i++) {
                double *f = &columns[0].f[k][(j + 1) * p->pitch + i + 1];

                *f = 0;
                for (int m = 0; m < MODES; m++)
                    *f += eigenvalue(m) * sines(m, place_in_grid[0] * p->mx + i,
                                                place_in_grid[1] * p->my + j, k);
            }
    }
}

static double residual_norm(void)
{
    const struct plane *p = &planes[0];
    double own = 0, all;

    for (int k = 0; k < nz; k++) {
        column_residual(&columns[0], k);
        for (int j = 1; j <= p->my; j++)
            for (int i = 1; i <= p->mx; i++)
                own += p->r[j * p->pitch + i] * p->r[j * p->pitch + i];
    }
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}

static double greatest_error(void)
{
    const struct plane *p = &planes[0];
    double own = 0, all;

    for (int k = 0; k < nz; k++)
        for (int j = 0; j < p->my; j++)
            for (int i = 0; i < p->mx; i++)
                own = fmax(own, fabs(columns[0].u[k][(j + 1) * p->pitch + i + 1] -
                                     solution(place_in_grid[0] * p->mx + i,
                                              place_in_grid[1] * p->my + j, k)));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void make_columns(void)
{
    right_side = multigrid_allocate(1, plane_bytes(&planes[0]));
    for (int height = nz;; height /= 2) {
        struct column *c = &columns[column_levels++];

        *c = (struct column){.nz = height, .per_h2 = (double)height * height};
        c->u = multigrid_allocate((size_t)height, sizeof *c->u);
        c->f = multigrid_allocate((size_t)height, sizeof *c->f);
        for (int k = 0; k < height; k++) {
            c->u[k] = multigrid_allocate(1, plane_bytes(&planes[0]));
            c->f[k] = multigrid_allocate(1, plane_bytes(&planes[0]));
        }
        if (height % 2 || column_levels == LEVELS)
            break;
    }
}

static void free_all(void)
{
    for (int l = 0; l < column_levels; l++) {
        for (int k = 0; k < columns[l].nz; k++) {
            free(columns[l].u[k]);
            free(columns[l].f[k]);
        }
        free(columns[l].u);
        free(columns[l].f);
    }
    free(right_side);
    planes_free();
    traffic_done(&traffic);
}

int main(int argc, char **argv)
{
    const struct program_option options[] = {
        {"n", &n, 2, 4096},
        {"nz", &nz, 1, 4096},
        {"solves", &solves, 1, 1000000},
        {"cycles", &most_cycles, 1, 1000},
        {"testall", &use_testall, 0, 0},
        {"count", &want_count, 0, 0},
        {NULL, NULL, 0, 0},
    };
    double first = 0, last = 0, error, start, seconds;
    int rank, ranks, cycles = 0, status, grid[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    program_options(argc, argv, options);
    if (!planes_place(rank, ranks, n, grid)) {
        if (rank == 0)
            fprintf(stderr, "multigrid: found --n %d, expected a multiple of %d and %d\n",
                    n, grid[0], grid[1]);
        MPI_Finalize();
        return 2;
    }
    if (traffic_init(&traffic, ranks))
        MPI_Abort(MPI_COMM_WORLD, 1);
    planes_make(n, use_testall, &traffic);
    make_columns();
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int s = 0; s < solves; s++) {
        set_problem();
        first = last = residual_norm();
        for (cycles = 0; last > 1e-10 * first && cycles < most_cycles; cycles++) {
            column_cycle(0);
            last = residual_norm();
        }
    }
    seconds = MPI_Wtime() - start;
    error = greatest_error();
    if (rank == 0)
        printf("cycles %d\nresidual %.3g\nerror %.3g\nsolve_s %.6f\n", cycles,
               last / first, error, seconds);
    if (want_count)
        traffic_print(&traffic);
    status = program_verdict("multigrid", last <= 1e-10 * first && error < 1e-8);
    free_all();
    MPI_Finalize();
    return status;
}
