/* SPDX-License-Identifier: BSD-3-Clause */
/* multigrid.h: the two halves of multigrid.c: planes, divided over ranks, and columns of
 * planes. */
#ifndef BENCH_MESSAGES_PROGRAMS_MULTIGRID_H
#define BENCH_MESSAGES_PROGRAMS_MULTIGRID_H

#include "bench/messages/programs/program.h"

#include <stddef.h>

enum { LEVELS = 16 };

/* One size of planes: of level p, n / 2^p cells wide. Arrays have a frame of one cell. */
struct plane {
    int mx, my;        /* cells of this rank */
    int first;         /* x + y of its first cell, for the colours */
    int pitch;         /* mx + 2 */
    double per_h2;     /* 1 / h^2 */
    double *u, *f, *r; /* [my + 2][mx + 2], of this rank; level 0 uses r alone */
};

/* The plane of this process; made by planes_make. */
extern struct plane planes[LEVELS];
extern int place_in_grid[2]; /* of this rank in the grid of ranks */

/* Place this rank in a grid of ranks that is as square as can be. Returns whether n cells
 * can be divided so; grid[2] is out, the size of the grid. */
int planes_place(int rank, int ranks, int n, int grid[2]);

/* Make all levels; messages are counted in *counted, borrowed. Ends the run without
 * memory. `testall`: wait for messages by calling MPI_Testall until it says so, else by
 * MPI_Waitall. */
void planes_make(int n, int testall, struct traffic *counted);
void planes_free(void);

/* Bytes of an array of this level. */
size_t plane_bytes(const struct plane *p);

/* r = f - (A + shift) u on one plane of level 0, A the discrete -Laplace operator in the
 * plane. u in, its frame is overwritten; f in; r out. All arrays as in struct plane.
 * Collective. */
void plane_residual(const struct plane *p, double *u, const double *f, double shift,
                    double *r);

/* Improve u, an approximate solution of (A + shift) u = f, by one V-cycle from this level
 * on. Collective. */
void plane_cycle(int level, double *u, const double *f, double shift);

/* Zeroed memory of the caller's; ends the run without it. */
void *multigrid_allocate(size_t count, size_t size);

#endif
