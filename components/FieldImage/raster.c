/* SPDX-License-Identifier: BSD-3-Clause */
/* raster.c: gather levels one after the other; finer cells replace the coarser cells
 * under them. */
#include "components/FieldImage/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "components/euler.h"

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

int64_t raster_ratio(const struct raster *raster, struct mesh_port *mesh, int level)
{
    int64_t ratio = 1;

    for (int l = level; l + 1 < raster->levels; l++)
        ratio *= mesh->ratio(mesh, l);
    return ratio;
}

/* Copy the values of one patch, from [EULER_NVAR][ny][nx] conserved variables of its
 * level, to the squares of its cells. */
static void box_fill(struct raster *raster, const struct mesh_box *box, const double *u,
                     int64_t ratio, enum quantity quantity)
{
    int64_t nx = raster->nx / ratio, ny = raster->ny / ratio;

    for (int64_t j = box->jlo; j < box->jlo + box->ny; j++)
        for (int64_t i = box->ilo; i < box->ilo + box->nx; i++) {
            double value = quantity_of(quantity, u + j * nx + i, nx * ny);

            for (int64_t y = j * ratio; y < (j + 1) * ratio; y++)
                for (int64_t x = i * ratio; x < (i + 1) * ratio; x++)
                    raster->values[y * raster->nx + x] = value;
        }
}

/* Add the patches of one level. Collective. */
static int level_fill(struct raster *raster, struct mesh_port *mesh, int level, int field,
                      double *u, enum quantity quantity)
{
    int code = mesh->gather(mesh, level, field, u);

    for (int k = 0; u && !code && k < mesh->box_count(mesh, level); k++) {
        struct mesh_box box;

        code = mesh->box(mesh, level, k, &box);
        if (!code)
            box_fill(raster, &box, u, raster_ratio(raster, mesh, level), quantity);
    }
    return code;
}

static void raster_range(struct raster *raster)
{
    for (int64_t i = 0; i < raster->nx * raster->ny; i++) {
        raster->least = fmin(raster->least, raster->values[i]);
        raster->most = fmax(raster->most, raster->values[i]);
    }
}

int raster_read(struct raster *raster, struct mesh_port *mesh, int field,
                enum quantity quantity, int levels, struct cca_error *err)
{
    const struct mesh_domain *domain = mesh->domain(mesh);
    int draws = mesh->rank(mesh) == 0, code = 0;
    double *u = NULL;
    int64_t ratio;

    *raster = (struct raster){.least = HUGE_VAL, .most = -HUGE_VAL};
    raster->levels = mesh->level_count(mesh);
    if (levels && levels < raster->levels)
        raster->levels = levels;
    ratio = raster_ratio(raster, mesh, 0);
    raster->nx = domain->nx * ratio;
    raster->ny = domain->ny * ratio;
    if (draws) {
        size_t cells = (size_t)raster->nx * (size_t)raster->ny;

        raster->values = calloc(cells, sizeof *raster->values);
        u = calloc(cells, EULER_NVAR * sizeof *u);
        if (!raster->values || !u)
            code = cca_error_set(err, -ENOMEM,
                                 "out of memory for a picture of %" PRId64 " x %" PRId64
                                 " cells",
                                 raster->nx, raster->ny);
    }
    for (int l = 0; l < raster->levels && !code; l++)
        code = level_fill(raster, mesh, l, field, u, quantity);
    if (!code && draws)
        raster_range(raster);
    free(u);
    return code;
}

void raster_done(struct raster *raster)
{
    free(raster->values);
    raster->values = NULL;
}
