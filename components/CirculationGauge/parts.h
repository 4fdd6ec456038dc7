/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the class share. */
#ifndef COMPONENTS_CIRCULATIONGAUGE_PARTS_H
#define COMPONENTS_CIRCULATIONGAUGE_PARTS_H

#include "ports/mesh_port.h"

/* --- raster.c ------------------------------------------------------------ */

struct raster {
    int64_t nx, ny;
    double xlo, ylo, dx, dy;
    int components;
    double *values; /* [components][ny][nx]; NULL on ranks other than 0 */
};

/* Collect `field` of `components` components on rank 0. Outside the finest level's
 * patches a cell has the value of the coarser cell that contains it.
 *
 *   raster  out  new: free it with raster_done, also after a failure
 *
 * Returns 0 or a negative errno with `err`. Collective. */
int raster_read(struct raster *raster, struct mesh_port *mesh, int field, int components,
                struct cca_error *err);
void raster_done(struct raster *raster);

/* Return component `c` of cell (i, j). */
static inline double raster_at(const struct raster *r, int c, int64_t i, int64_t j)
{
    return r->values[(c * r->ny + j) * r->nx + i];
}

/* --- sheet.c ------------------------------------------------------------- */

/* The vortex sheet that a shock leaves on an interface, from the conserved
 * variables of components/euler.h on a raster.
 *
 * The interface is where zeta changes from 0 to 1; in each row zeta grows with x. The
 * band consists of the cells with SHEET_ZETA < zeta < 1 - SHEET_ZETA, and cells within
 * SHEET_MARGIN cells of these. Circulation is the vorticity of cell-centred velocities,
 * by central differences, one-sided at the ends of the domain, summed over the band.
 * Clockwise is positive, as for a shock from the left that meets a denser gas.
 *
 * The band crosses shocks near the node, which do not contribute: the tangential speed
 * does not change across a shock. */

#define SHEET_ZETA 0.001
#define SHEET_MARGIN 4

struct sheet {
    int64_t nx, ny;
    unsigned char *band; /* [ny][nx] */
    int64_t cells;       /* number of cells in the band */
    double circulation;  /* circulation of the whole band */
};

/* Find the band and its circulation.
 *
 *   raster  in   borrowed for the call
 *   sheet   out  new: free it with sheet_done, also after a failure
 *
 * Returns 0 or -ENOMEM. */
int sheet_find(const struct raster *raster, struct sheet *sheet);
void sheet_done(struct sheet *sheet);

/* Compute the circulation per length of the interface in the rows `low` <= y <= `high`:
 * the jump of the tangential speed across it. The length is measured along the
 * least-squares line through the points with zeta 1/2.
 *
 * Returns 0, or -ENOENT if fewer than SHEET_ROWS rows have the interface. */
#define SHEET_ROWS 8
int sheet_strength(const struct sheet *sheet, const struct raster *raster, double low,
                   double high, double *strength);

#endif
