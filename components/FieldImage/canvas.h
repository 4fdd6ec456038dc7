/* SPDX-License-Identifier: BSD-3-Clause */
/* canvas.h: a picture of at most 256 colours, and its PNG file. */
#ifndef COMPONENTS_FIELDIMAGE_CANVAS_H
#define COMPONENTS_FIELDIMAGE_CANVAS_H

#include <stdint.h>

#include "components/FieldImage/raster.h"

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

#endif
