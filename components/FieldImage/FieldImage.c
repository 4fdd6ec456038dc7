/* SPDX-License-Identifier: BSD-3-Clause */
/* FieldImage.c: write a quantity of the field as a PNG picture, y upwards, with a square
 * for each cell of the finest level.
 *
 * The picture is written to a temporary file in the same folder, then renamed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/FieldImage/parts.h"
#include "framework/cca.h"
#include "ports/output_port_signature.h"

#define WIDTH_WANTED 800
#define SCALE_MAX 64

struct image {
    struct output_port port;
    struct cca_services *services;
};

static enum quantity quantity_wanted(const struct image *k)
{
    const char *name = cca_services_param_string(k->services, "quantity");

    return !strcmp(name, "zeta") ? ZETA : !strcmp(name, "speed") ? SPEED : DENSITY;
}

/* Return the pixels along a side of each cell: the value of the parameter, or enough to
 * see a small mesh. */
static int64_t scale_wanted(const struct image *k, const struct raster *raster)
{
    int64_t scale = cca_services_param_long(k->services, "scale");
    int64_t larger = raster->nx > raster->ny ? raster->nx : raster->ny;

    if (scale > 0)
        return scale;
    scale = (WIDTH_WANTED - 1) / larger + 1;
    return scale < SCALE_MAX ? scale : SCALE_MAX;
}

/* Draw the values as a picture. */
static int image_draw(const struct image *k, struct canvas *canvas,
                      const struct raster *raster, struct mesh_port *mesh,
                      struct cca_error *err)
{
    int64_t scale = scale_wanted(k, raster);
    int outlines = cca_services_param_bool(k->services, "outlines");
    int grey = !strcmp(cca_services_param_string(k->services, "colours"), "grey");
    int code = canvas_draw(canvas, raster, scale, grey, outlines);

    if (code)
        return cca_error_set(
            err, code, "out of memory for a picture of %" PRId64 " x %" PRId64 " pixels",
            raster->nx * scale, raster->ny * scale);
    if (outlines)
        code = canvas_outline(canvas, raster, mesh);
    return code ? cca_error_set(err, code, "no borders of patches") : 0;
}

/* Make the path from parameter `file`, in which the first "{step}" is replaced. Returns a
 * new string, or NULL.
 */
static char *path_new(const struct image *k, int64_t step)
{
    const char *name = cca_services_param_string(k->services, "file");
    const char *mark = strstr(name, "{step}");
    char *path = NULL;

    if (!mark)
        return strdup(name);
    if (asprintf(&path, "%.*s%06" PRId64 "%s", (int)(mark - name), name, step,
                 mark + strlen("{step}")) < 0)
        return NULL;
    return path;
}

static int image_write(struct output_port *self, struct mesh_port *mesh, int field,
                       double time_s, int64_t step, struct cca_error *err)
{
    struct image *k = cca_container_of(self, struct image, port);
    int levels = (int)cca_services_param_long(k->services, "levels");
    struct raster raster = {0};
    struct canvas canvas = {0};
    char *path;
    int code;

    if (!*cca_services_param_string(k->services, "file"))
        return 0;
    path = path_new(k, step);
    code = path ? raster_read(&raster, mesh, field, quantity_wanted(k), levels, err)
                : cca_error_set(err, -ENOMEM, "out of memory");

    if (!code && raster.values) {
        code = image_draw(k, &canvas, &raster, mesh, err);
        if (!code)
            code = canvas_write(&canvas, path, err);
        if (!code) {
            printf("%s: %s %.4g to %.4g at time %.6g, %" PRId64 " x %" PRId64
                   " pixels in %s\n",
                   cca_services_instance_name(k->services),
                   cca_services_param_string(k->services, "quantity"), raster.least,
                   raster.most, time_s, canvas.width, canvas.height, path);
            fflush(stdout);
        }
    }
    canvas_done(&canvas);
    raster_done(&raster);
    free(path);
    return code;
}

static const struct output_port port = {.base = {OUTPUT_PORT_TYPE, sizeof port},
                                        .write = image_write};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct image, services),
    .name = "FieldImage",
    .summary = "writes the field as a PNG picture",
    CCA_SIGNATURES(OUTPUT_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"output", offsetof(struct image, port), &port.base}),
    CCA_PARAMS({"file", CCA_STRING, "shock.png", NULL, NULL, NULL, NULL,
                "where the picture goes; {step} becomes the number of the step; empty: "
                "no picture",
                NULL},
               {"quantity", CCA_STRING, "density", NULL, NULL, "density|zeta|speed", NULL,
                "quantity to draw", NULL},
               {"scale", CCA_LONG, "0", "0", "64", NULL, "pixels",
                "side of a cell; 0: enough for 800 pixels along the longer side", NULL},
               {"levels", CCA_LONG, "0", "0", "64", NULL, NULL,
                "levels drawn at most, from level 0; 0: all", NULL},
               {"outlines", CCA_BOOL, "false", NULL, NULL, NULL, NULL,
                "draw the borders of patches: purple, red, blue by level", NULL},
               {"colours", CCA_STRING, "map", NULL, NULL, "map|grey", NULL,
                "of values; grey leaves the colours to the borders", NULL}),
};
