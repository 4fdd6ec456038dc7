/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: the vortex sheet that a shock leaves on an interface, from the conserved
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
#ifndef COMPONENTS_CIRCULATIONGAUGE_SHEET_H
#define COMPONENTS_CIRCULATIONGAUGE_SHEET_H

#include "components/CirculationGauge/raster.h"

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

/* Circulation per length of the interface in the rows `low` <= y <= `high`: the jump of
 * the tangential speed across it. The length is measured along the least-squares line
 * through the points with zeta 1/2.
 *
 * Returns 0, or -ENOENT if fewer than SHEET_ROWS rows have the interface. */
#define SHEET_ROWS 8
int sheet_strength(const struct sheet *sheet, const struct raster *raster, double low,
                   double high, double *strength);

#endif
