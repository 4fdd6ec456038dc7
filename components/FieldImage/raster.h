/* SPDX-License-Identifier: BSD-3-Clause */
/* raster.h: a quantity of a field on the cells of the finest level, over the whole
 * domain. */
#ifndef COMPONENTS_FIELDIMAGE_RASTER_H
#define COMPONENTS_FIELDIMAGE_RASTER_H

#include "ports/mesh_port.h"

/* Values row by row, y upwards. `values` is NULL on ranks other than 0. */
struct raster {
    int64_t nx, ny;     /* number of cells of the finest level drawn */
    double *values;     /* [ny][nx] */
    double least, most; /* minimum and maximum of the values */
    int levels;         /* number of levels drawn */
};

enum quantity { DENSITY, ZETA, SPEED };

/* Number of cells of the finest level drawn along a side of a cell of `level`. */
int64_t raster_ratio(const struct raster *raster, struct mesh_port *mesh, int level);

/* Fill `raster` from conserved variables; each value is from the finest level with a cell
 * there.
 *
 *   levels  in  most levels to draw, from level 0; 0: all
 *
 * Returns 0 or a negative errno with `err`. Collective. raster_done frees the values,
 * also after a failure. */
int raster_read(struct raster *raster, struct mesh_port *mesh, int field,
                enum quantity quantity, int levels, struct cca_error *err);
void raster_done(struct raster *raster);

#endif
