/* SPDX-License-Identifier: BSD-3-Clause */
/* FieldImage.c: write a quantity of the field as a PNG picture, y upwards, one square a
 * cell.
 *
 * The picture is written to a temporary file beside its place, then renamed. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components/FieldImage/colour.h"
#include "components/euler.h"
#include "framework/cca.h"
#include "ports/output_port_signature.h"

#define WIDTH_WANTED 800
#define SCALE_MAX 64
#define BAR_CELLS 0x100 /* colours of the map */

struct image {
    struct output_port port;
    struct cca_services *services;
};

/* One value per cell of the domain, row by row. */
struct raster {
    int64_t nx, ny;
    double *values;
    double least, most;
};

enum quantity { DENSITY, ZETA, SPEED };

static double quantity_of(enum quantity quantity, const double *u, ptrdiff_t plane)
{
    double rho = u[EULER_RHO * plane];

    switch (quantity) {
    case ZETA:
        return u[EULER_ZETA * plane] / rho;
    case SPEED:
        return hypot(u[EULER_U * plane], u[EULER_V * plane]) / fabs(rho);
    default:
        return rho;
    }
}

static enum quantity quantity_wanted(const struct image *k)
{
    const char *name = cca_services_param_string(k->services, "quantity");

    return !strcmp(name, "zeta") ? ZETA : !strcmp(name, "speed") ? SPEED : DENSITY;
}

/* One value per cell from [EULER_NVAR][ny][nx] conserved variables. */
static void raster_fill(struct raster *raster, const double *u, enum quantity quantity)
{
    ptrdiff_t cells = raster->nx * raster->ny;

    for (ptrdiff_t i = 0; i < cells; i++) {
        double value = quantity_of(quantity, u + i, cells);

        raster->values[i] = value;
        raster->least = fmin(raster->least, value);
        raster->most = fmax(raster->most, value);
    }
}

/* Collective; `values` stays NULL on ranks that have nothing to draw. */
static int raster_read(struct raster *raster, struct mesh_port *mesh, int field,
                       enum quantity quantity, struct cca_error *err)
{
    const struct mesh_domain *domain = mesh->domain(mesh);
    size_t cells = (size_t)domain->nx * (size_t)domain->ny;
    double *u = NULL;
    int draws = mesh->rank(mesh) == 0, code = 0;

    raster->nx = domain->nx;
    raster->ny = domain->ny;
    raster->least = HUGE_VAL;
    raster->most = -HUGE_VAL;
    if (draws) {
        raster->values = calloc(cells, sizeof *raster->values);
        u = calloc(cells, EULER_NVAR * sizeof *u);
        if (!raster->values || !u)
            code = cca_error_set(err, -ENOMEM,
                                 "out of memory for a picture of %" PRId64 " x %" PRId64
                                 " cells",
                                 domain->nx, domain->ny);
    }
    if (!code)
        code = mesh->gather(mesh, 0, field, u);
    if (!code && draws)
        raster_fill(raster, u, quantity);
    free(u);
    return code;
}

/* Pixels a cell: as asked, or enough to see a small mesh. */
static int64_t scale_wanted(const struct image *k, const struct raster *raster)
{
    int64_t scale = cca_services_param_long(k->services, "scale");
    int64_t larger = raster->nx > raster->ny ? raster->nx : raster->ny;

    if (scale > 0)
        return scale;
    scale = (WIDTH_WANTED - 1) / larger + 1;
    return scale < SCALE_MAX ? scale : SCALE_MAX;
}

/* Indices into the colour map, top row first. New, or NULL. */
static uint8_t *pixels_new(const struct raster *raster, int64_t scale)
{
    int64_t width = raster->nx * scale, height = raster->ny * scale;
    double range = raster->most - raster->least;
    uint8_t *pixels = malloc((size_t)width * (size_t)height);

    for (int64_t y = 0; pixels && y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            double value =
                raster->values[(raster->ny - 1 - y / scale) * raster->nx + x / scale];
            double part = range > 0. ? (value - raster->least) / range : 0.;

            /* NaN gets the darkest colour. */
            pixels[y * width + x] =
                part > 0. ? (uint8_t)lround(part * (BAR_CELLS - 1)) : 0;
        }
    return pixels;
}

static int png_write(FILE *file, const uint8_t *pixels, int64_t width, int64_t height,
                     const char *path, struct cca_error *err)
{
    uint8_t colours[BAR_CELLS][3];
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)width,
        .height = (png_uint_32)height,
        .format = PNG_FORMAT_RGB_COLORMAP,
        .colormap_entries = BAR_CELLS,
    };

    for (int i = 0; i < BAR_CELLS; i++)
        colour_map(i / (BAR_CELLS - 1.), colours[i]);
    if (!png_image_write_to_stdio(&image, file, 0, pixels, 0, colours))
        return cca_error_set(err, -EIO, "cannot write picture '%s': %s", path,
                             image.message);
    return 0;
}

static int file_write(const char *path, const uint8_t *pixels, int64_t width,
                      int64_t height, struct cca_error *err)
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
    code = png_write(file, pixels, width, height, path, err);
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

/* The file parameter with the first "{step}" replaced. New, or NULL. */
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
    struct raster raster = {0};
    char *path = path_new(k, step);
    uint8_t *pixels = NULL;
    int64_t scale = 0;
    int code = path ? raster_read(&raster, mesh, field, quantity_wanted(k), err)
                    : cca_error_set(err, -ENOMEM, "out of memory");

    if (!code && raster.values) {
        scale = scale_wanted(k, &raster);
        pixels = pixels_new(&raster, scale);
        code = pixels
                   ? file_write(path, pixels, raster.nx * scale, raster.ny * scale, err)
                   : cca_error_set(err, -ENOMEM,
                                   "out of memory for a picture of %" PRId64 " x %" PRId64
                                   " pixels",
                                   raster.nx * scale, raster.ny * scale);
    }
    if (!code && raster.values) {
        printf("%s: %s %.4g to %.4g at time %.6g, %" PRId64 " x %" PRId64
               " pixels in %s\n",
               cca_services_instance_name(k->services),
               cca_services_param_string(k->services, "quantity"), raster.least,
               raster.most, time_s, raster.nx * scale, raster.ny * scale, path);
        fflush(stdout);
    }
    free(pixels);
    free(raster.values);
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
                "where the picture goes; {step} becomes the number of the step", NULL},
               {"quantity", CCA_STRING, "density", NULL, NULL, "density|zeta|speed", NULL,
                "what it shows", NULL},
               {"scale", CCA_LONG, "0", "0", "64", NULL, "pixels",
                "side of a cell; 0: enough for 800 pixels along the longer side", NULL}),
};
