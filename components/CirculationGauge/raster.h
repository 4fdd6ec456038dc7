/* SPDX-License-Identifier: BSD-3-Clause */
/* raster.h: a field of a mesh with any number of levels, on one grid as fine as the
 * finest. */
#ifndef COMPONENTS_CIRCULATIONGAUGE_RASTER_H
#define COMPONENTS_CIRCULATIONGAUGE_RASTER_H

#include "ports/mesh_port.h"

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

/* Component `c` of cell (i, j). */
static inline double raster_at(const struct raster *r, int c, int64_t i, int64_t j)
{
    return r->values[(c * r->ny + j) * r->nx + i];
}

#endif
