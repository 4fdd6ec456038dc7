/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the class share. */
#ifndef COMPONENTS_FIELDIMAGE_PARTS_H
#define COMPONENTS_FIELDIMAGE_PARTS_H

#include <stdint.h>

#include "ports/mesh_port.h"

/* --- raster.c ------------------------------------------------------------ */

/* Values row by row, y upwards. `values` is NULL on ranks other than 0. */
struct raster {
    int64_t nx, ny; /* size of the picture in cells of the finest level that is drawn */
    double *values; /* [ny][nx] */
    double least, most; /* minimum and maximum of the values */
    int levels;         /* number of levels that are drawn */
};

enum quantity { DENSITY, ZETA, SPEED };

/* Return the number of cells of the finest level that is drawn along a side of a cell of
 * `level`.
 */
int64_t raster_ratio(const struct raster *raster, struct mesh_port *mesh, int level);

/* Fill `raster` from conserved variables; each value is from the finest level with a cell
 * there.
 *
 *   levels  in  largest number of levels to draw, from level 0; 0: all
 *
 * Returns 0 or a negative errno with `err`. Collective. raster_done frees the values,
 * also after a failure. */
int raster_read(struct raster *raster, struct mesh_port *mesh, int field,
                enum quantity quantity, int levels, struct cca_error *err);
void raster_done(struct raster *raster);

/* --- canvas.c ------------------------------------------------------------ */

#define CANVAS_COLOURS 256
#define OUTLINE_COLOURS 3

/* A picture. Its colours are `map` colours for values, then OUTLINE_COLOURS for the
 * borders of patches. */
struct canvas {
    int64_t width, height;
    uint8_t *pixels; /* [height][width] indices into `colours`, top row first */
    uint8_t colours[CANVAS_COLOURS][3];
    int map;
};

/* Draw each value as a square of `scale` pixels a side.
 *
 *   grey      in  != 0: values are light grey to dark grey
 *   outlines  in  != 0: reserve colours for canvas_outline
 *
 * Returns 0 or -ENOMEM. canvas_done frees the pixels, also after a failure. */
int canvas_draw(struct canvas *canvas, const struct raster *raster, int64_t scale,
                int grey, int outlines);
void canvas_done(struct canvas *canvas);

/* Draw the border of every patch, coarse levels first, in colours that repeat: purple for
 * level 0, red for level 1, blue for level 2. */
int canvas_outline(struct canvas *canvas, const struct raster *raster,
                   struct mesh_port *mesh);

/* Write a PNG file: to a temporary file in the same folder, then renamed. Returns 0 or a
 * negative errno with `err`; no file is left then. */
int canvas_write(const struct canvas *canvas, const char *path, struct cca_error *err);

/* --- colour.c ------------------------------------------------------------ */

/* Compute the colour of a value between 0 (dark) and 1 (light): red, green, blue as sRGB.
 */
void colour_map(double value, uint8_t rgb[3]);

/* Get one of three colours that people with any colour vision can distinguish, `index` 0
 * to 2: purple, red, blue. */
void colour_outline(int index, uint8_t rgb[3]);

#endif
