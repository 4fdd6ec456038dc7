/* SPDX-License-Identifier: BSD-3-Clause */
/* prolong_restrict_port.h: compute cells of one level from the next finer or coarser
 * level (by a factor of 2), one rectangle of cells at a time.
 *
 *     fine    +---+---+---+---+      four fine cells lie in a coarse one
 *             |   |   |   |   |
 *             +---+---+---+---+      prolong: fine cells from coarse ones, for ghost
 *             |   |   |   |   |      cells at the edge of a level and for new patches
 *     coarse  +-------+-------+      restrict_cells: coarse cells from the fine ones
 *             |       |       |      in them */
#ifndef PORTS_PROLONG_RESTRICT_PORT_H
#define PORTS_PROLONG_RESTRICT_PORT_H

#include "ports/cca_port.h"

#define PROLONG_RESTRICT_PORT_TYPE "mesh.ProlongRestrictPort/1"

/* Cells in the caller's memory: component c of cell (i, j) of the rectangle is at[c *
 * plane + j * pitch + i]. */
struct prolong_restrict_cells {
    double *at;
    ptrdiff_t pitch, plane;
};

/* Position of a rectangle of fine cells relative to the coarse cells. */
struct prolong_restrict_place {
    /* true if the first fine cell is in the upper half of its coarse cell */
    int odd_x, odd_y;
    /* Bit 1 << side (enum mesh_side of mesh_port.h: xlo, xhi, ylo, yhi) is set if the
     * coarse level ends at that side of the rectangle, at the border of the domain. */
    unsigned ends;
};

/* A rectangle of nx x ny fine cells to compute. Cell (0, 0) of `coarse` is under the
 * first fine cell. */
struct prolong_restrict_target {
    int nx, ny;
    struct prolong_restrict_place place;
    struct prolong_restrict_cells coarse, fine;
};

struct prolong_restrict_port {
    struct cca_port base;

    /* Compute fine cells from coarse cells, so that the mean of four fine cells is the
     * coarse cell, for all rectangles of one patch.
     *
     *   cells       in   number of fine cells of all rectangles
     *   count       in   number of rectangles
     *   components  in   1 to 64
     *   targets     in   [count]. Reads the coarse cells under a rectangle and one row or
     *                    column beyond each side that is not in `ends`, without corners
     *
     * A fine cell's value depends on its coarse cell and the four neighbours of the
     * coarse cell, not on the rectangle. Returns 0 or -EINVAL. Not collective. */
    int (*prolong)(struct prolong_restrict_port *self, CCA_PARAM int64_t cells,
                   CCA_PARAM int count, CCA_PARAM int components,
                   const struct prolong_restrict_target *targets);

    /* Compute nx x ny coarse cells as the means of the four fine cells in each.
     *
     *   nx, ny      in   number of coarse cells in x and y
     *   components  in   > 0
     *   fine        in   its cell (0, 0) is the first of the four fine cells in coarse
     *                    cell (0, 0)
     *   coarse      out
     *
     * Returns 0. Not collective. */
    int (*restrict_cells)(struct prolong_restrict_port *self, CCA_PARAM int nx,
                          CCA_PARAM int ny, CCA_PARAM int components,
                          const struct prolong_restrict_cells *fine,
                          const struct prolong_restrict_cells *coarse)
        CCA_PERF("Q = nx * ny");
};

#endif
