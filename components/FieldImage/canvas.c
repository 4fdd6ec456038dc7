/* SPDX-License-Identifier: BSD-3-Clause */
/* canvas.c: draw values as squares of colour and borders of patches, and write the PNG
 * file. */
#include "components/FieldImage/parts.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void canvas_colours(struct canvas *canvas, int grey)
{
    for (int i = 0; i < canvas->map; i++)
        if (grey)
            memset(canvas->colours[i], 245 - (int)lround(150. * i / (canvas->map - 1.)),
                   3);
        else
            colour_map(i / (canvas->map - 1.), canvas->colours[i]);
    for (int i = canvas->map; i < CANVAS_COLOURS; i++)
        colour_outline(i - canvas->map, canvas->colours[i]);
}

int canvas_draw(struct canvas *canvas, const struct raster *raster, int64_t scale,
                int grey, int outlines)
{
    double range = raster->most - raster->least;

    *canvas = (struct canvas){.width = raster->nx * scale, .height = raster->ny * scale};
    canvas->map = outlines ? CANVAS_COLOURS - OUTLINE_COLOURS : CANVAS_COLOURS;
    canvas->pixels = malloc((size_t)canvas->width * (size_t)canvas->height);
    if (!canvas->pixels)
        return -ENOMEM;
    canvas_colours(canvas, grey);
    for (int64_t y = 0; y < canvas->height; y++)
        for (int64_t x = 0; x < canvas->width; x++) {
            double value =
                raster->values[(raster->ny - 1 - y / scale) * raster->nx + x / scale];
            double part = range > 0. ? (value - raster->least) / range : 0.;

            /* a value that is NaN gets the first colour */
            canvas->pixels[y * canvas->width + x] =
                part > 0. ? (uint8_t)lround(part * (canvas->map - 1)) : 0;
        }
    return 0;
}

void canvas_done(struct canvas *canvas)
{
    free(canvas->pixels);
    canvas->pixels = NULL;
}

/* Draw the border of a rectangle with the pixels inside it; y counts from the bottom. */
static void rectangle_draw(struct canvas *canvas, int64_t x, int64_t y, int64_t width,
                           int64_t height, uint8_t colour)
{
    uint8_t *top = canvas->pixels + (canvas->height - y - height) * canvas->width + x;

    memset(top, colour, (size_t)width);
    memset(top + (height - 1) * canvas->width, colour, (size_t)width);
    for (int64_t row = 0; row < height; row++)
        top[row * canvas->width] = top[row * canvas->width + width - 1] = colour;
}

int canvas_outline(struct canvas *canvas, const struct raster *raster,
                   struct mesh_port *mesh)
{
    int64_t scale = canvas->width / raster->nx;

    for (int l = 0; l < raster->levels; l++) {
        int64_t side = raster_ratio(raster, mesh, l) * scale;

        for (int k = 0; k < mesh->box_count(mesh, l); k++) {
            struct mesh_box b;
            int code = mesh->box(mesh, l, k, &b);

            if (code)
                return code;
            rectangle_draw(canvas, b.ilo * side, b.jlo * side, b.nx * side, b.ny * side,
                           (uint8_t)(canvas->map + l % OUTLINE_COLOURS));
        }
    }
    return 0;
}

static int png_write(FILE *file, const struct canvas *canvas, const char *path,
                     struct cca_error *err)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)canvas->width,
        .height = (png_uint_32)canvas->height,
        .format = PNG_FORMAT_RGB_COLORMAP,
        .colormap_entries = CANVAS_COLOURS,
    };

    if (!png_image_write_to_stdio(&image, file, 0, canvas->pixels, 0, canvas->colours))
        return cca_error_set(err, -EIO, "cannot write picture '%s': %s", path,
                             image.message);
    return 0;
}

int canvas_write(const struct canvas *canvas, const char *path, struct cca_error *err)
{
    size_t size = strlen(path) + sizeof ".part";
    char *part = malloc(size);
    FILE *file;
    int code;

    if (!part)
        return cca_error_set(err, -ENOMEM, "out of memory");
    snprintf(part, size, "%s.part", path);
    file = fopen(part, "wb");
    if (!file) {
        code = cca_error_set(err, -errno, "cannot write picture '%s': %s", part,
                             strerror(errno));
        free(part);
        return code;
    }
    code = png_write(file, canvas, path, err);
    if (fclose(file) && !code)
        code = cca_error_set(err, -errno, "cannot write picture '%s': %s", part,
                             strerror(errno));
    if (!code && rename(part, path))
        code = cca_error_set(err, -errno, "cannot rename picture '%s' to '%s': %s", part,
                             path, strerror(errno));
    if (code)
        unlink(part);
    free(part);
    return code;
}
