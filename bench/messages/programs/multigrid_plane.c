/* SPDX-License-Identifier: BSD-3-Clause */
/* multigrid_plane.c: V-cycles in planes that are divided over ranks. */
#include "bench/messages/programs/multigrid.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COARSE_SWEEPS = 3 };
enum side { WEST, EAST, SOUTH, NORTH, SIDES };

struct plane planes[LEVELS];
int place_in_grid[2];
static int plane_levels, cells[2], peer[SIDES], use_testall;
static double *packed[2], *unpacked[2];
static struct traffic *traffic;

void *multigrid_allocate(size_t count, size_t size)
{
    void *p = calloc(count, size);

    if (!p) {
        fprintf(stderr, "multigrid: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

static void complete(int count, MPI_Request *requests)
{
    int done = 0;

    if (!use_testall)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    while (use_testall && !done)
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
}

static void pack_columns(const struct plane *p, const double *u)
{
    for (int j = 0; j < p->my; j++) {
        packed[WEST][j] = u[(j + 1) * p->pitch + 1];
        packed[EAST][j] = u[(j + 1) * p->pitch + p->mx];
    }
}

static void unpack_column(const struct plane *p, double *u, enum side side)
{
    const int x = side == WEST ? 0 : p->mx + 1;

    for (int j = 0; j < p->my; j++)
        u[(j + 1) * p->pitch + x] = unpacked[side][j];
}

/* Fill the frame of a plane from its neighbours; at the faces of the cube it stays as it
 * is. */
static void exchange(const struct plane *p, double *u)
{
    double *row[SIDES], *frame[SIDES];
    int count[SIDES] = {p->my, p->my, p->mx, p->mx}, used = 0;
    MPI_Request requests[2 * SIDES];

    pack_columns(p, u);
    row[WEST] = packed[WEST], frame[WEST] = unpacked[WEST];
    row[EAST] = packed[EAST], frame[EAST] = unpacked[EAST];
    row[SOUTH] = u + p->pitch + 1, frame[SOUTH] = u + 1;
    row[NORTH] = u + p->my * p->pitch + 1, frame[NORTH] = row[NORTH] + p->pitch;
    for (int s = 0; s < SIDES; s++)
        if (peer[s] >= 0)
            MPI_Irecv(frame[s], count[s], MPI_DOUBLE, peer[s], s ^ 1, MPI_COMM_WORLD,
                      &requests[used++]);
    for (int s = 0; s < SIDES; s++)
        if (peer[s] >= 0) {
            MPI_Isend(row[s], count[s], MPI_DOUBLE, peer[s], s, MPI_COMM_WORLD,
                      &requests[used++]);
            traffic_sent(traffic, peer[s], (size_t)count[s] * sizeof(double));
        }
    complete(used, requests);
    for (int s = WEST; s <= EAST; s++)
        if (peer[s] >= 0)
            unpack_column(p, u, s);
}

/* The diagonal, times h^2, of one direction: a face of the cube is half a cell away, so
 * the cell beyond it holds -u of this cell. */
static double diagonal(int i, int m, enum side low)
{
    return 2 + (i == 0 && peer[low] < 0) + (i == m - 1 && peer[low + 1] < 0);
}

static double neighbours(const double *u, int pitch)
{
    return u[-1] + u[1] + u[-pitch] + u[pitch];
}

static void smooth(const struct plane *p, double *u, const double *f, double shift)
{
    for (int colour = 0; colour < 2; colour++) {
        exchange(p, u);
        for (int j = 0; j < p->my; j++) {
            const double dy = diagonal(j, p->my, SOUTH);

            for (int i = (p->first + j + colour) & 1; i < p->mx; i += 2) {
                const int c = (j + 1) * p->pitch + i + 1;
                const double d = (diagonal(i, p->mx, WEST) + dy) * p->per_h2 + shift;

                u[c] = (f[c] + p->per_h2 * neighbours(u + c, p->pitch)) / d;
            }
        }
    }
}

void plane_residual(const struct plane *p, double *u, const double *f, double shift,
                    double *r)
{
    exchange(p, u);
    for (int j = 0; j < p->my; j++)
        for (int i = 0; i < p->mx; i++) {
            const int c = (j + 1) * p->pitch + i + 1;
            const double d =
                (diagonal(i, p->mx, WEST) + diagonal(j, p->my, SOUTH)) * p->per_h2 +
                shift;

            r[c] = f[c] - d * u[c] + p->per_h2 * neighbours(u + c, p->pitch);
        }
}

size_t plane_bytes(const struct plane *p)
{
    return (size_t)p->pitch * (size_t)(p->my + 2) * sizeof(double);
}

static void restrict_plane(const struct plane *fine, const double *r,
                           const struct plane *p)
{
    for (int j = 0; j < p->my; j++)
        for (int i = 0; i < p->mx; i++) {
            const double *c = r + (2 * j + 1) * fine->pitch + 2 * i + 1;

            p->f[(j + 1) * p->pitch + i + 1] =
                0.25 * (c[0] + c[1] + c[fine->pitch] + c[fine->pitch + 1]);
        }
}

/* Linear interpolation on triangles: half the cell's value, a quarter of each of the two
 * neighbours that the fine cell is next to. */
static void prolong_plane(const struct plane *p, const struct plane *fine, double *u)
{
    exchange(p, p->u);
    for (int j = 0; j < fine->my; j++)
        for (int i = 0; i < fine->mx; i++) {
            const double *c = p->u + (j / 2 + 1) * p->pitch + i / 2 + 1;
            const int right = i & 1, up = j & 1;
            const int x_face =
                right ? i == fine->mx - 1 && peer[EAST] < 0 : i == 0 && peer[WEST] < 0;
            const int y_face =
                up ? j == fine->my - 1 && peer[NORTH] < 0 : j == 0 && peer[SOUTH] < 0;
            const double x = x_face ? -*c : c[right ? 1 : -1];
            const double y = y_face ? -*c : c[up ? p->pitch : -p->pitch];

            u[(j + 1) * fine->pitch + i + 1] += 0.5 * *c + 0.25 * (x + y);
        }
}

/* One V-cycle in a plane: an approximate solution of (A + shift) u = f. */
void plane_cycle(int level, double *u, const double *f, double shift)
{
    const struct plane *p = &planes[level], *coarse = p + 1;

    smooth(p, u, f, shift);
    if (level == plane_levels - 1) {
        for (int i = 1; i < COARSE_SWEEPS; i++)
            smooth(p, u, f, shift);
        return;
    }
    plane_residual(p, u, f, shift, p->r);
    restrict_plane(p, p->r, coarse);
    memset(coarse->u, 0, plane_bytes(coarse));
    plane_cycle(level + 1, coarse->u, coarse->f, shift);
    prolong_plane(coarse, p, u);
    smooth(p, u, f, shift);
}

/* Place this rank in a grid of ranks that is as square as can be. 0 where n has no room
 * for it. */
int planes_place(int rank, int ranks, int n, int grid[2])
{
    MPI_Dims_create(ranks, 2, cells);
    place_in_grid[0] = rank % cells[0];
    place_in_grid[1] = rank / cells[0];
    peer[WEST] = place_in_grid[0] > 0 ? rank - 1 : -1;
    peer[EAST] = place_in_grid[0] + 1 < cells[0] ? rank + 1 : -1;
    peer[SOUTH] = place_in_grid[1] > 0 ? rank - cells[0] : -1;
    peer[NORTH] = place_in_grid[1] + 1 < cells[1] ? rank + cells[0] : -1;
    memcpy(grid, cells, sizeof cells);
    return n % cells[0] == 0 && n % cells[1] == 0;
}

void planes_make(int n, int testall, struct traffic *counted)
{
    int mx = n / cells[0], my = n / cells[1];

    use_testall = testall;
    traffic = counted;
    for (int width = n;; width /= 2, mx /= 2, my /= 2) {
        struct plane *p = &planes[plane_levels++];

        *p = (struct plane){.mx = mx,
                            .my = my,
                            .pitch = mx + 2,
                            .per_h2 = (double)width * width,
                            .first = place_in_grid[0] * mx + place_in_grid[1] * my};
        p->r = multigrid_allocate(1, plane_bytes(p));
        p->u = multigrid_allocate(1, plane_bytes(p));
        p->f = multigrid_allocate(1, plane_bytes(p));
        if (mx % 2 || my % 2 || plane_levels == LEVELS)
            break;
    }
    for (int s = 0; s < 2; s++) {
        packed[s] = multigrid_allocate((size_t)planes[0].my, sizeof(double));
        unpacked[s] = multigrid_allocate((size_t)planes[0].my, sizeof(double));
    }
}

void planes_free(void)
{
    for (int i = 0; i < plane_levels; i++) {
        free(planes[i].u);
        free(planes[i].f);
        free(planes[i].r);
    }
    for (int s = 0; s < 2; s++) {
        free(packed[s]);
        free(unpacked[s]);
    }
}
