/* SPDX-License-Identifier: BSD-3-Clause */
/* raster.c: gather levels from the coarsest to the finest, each on a grid that was first
 * filled from the coarser levels. */
#include "components/CirculationGauge/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Refine the grid by `ratio` in x and y, with copies of the coarse values. Returns 0 or
 * -ENOMEM. */
static int raster_refine(struct raster *r, int ratio)
{
    int64_t nx = r->nx * ratio, ny = r->ny * ratio;
    double *values = calloc((size_t)(nx * ny), (size_t)r->components * sizeof *values);
    double *to = values;

    if (!values)
        return -ENOMEM;
    for (int c = 0; c < r->components; c++)
        for (int64_t j = 0; j < ny; j++)
            for (int64_t i = 0; i < nx; i++)
                *to++ = raster_at(r, c, i / ratio, j / ratio);
    free(r->values);
    r->values = values;
    r->nx = nx;
    r->ny = ny;
    return 0;
}

/* Make the grid of level 0, without values. */
static int raster_init(struct raster *r, const struct mesh_domain *domain, int components,
                       int keeps)
{
    *r = (struct raster){.nx = domain->nx,
                         .ny = domain->ny,
                         .xlo = domain->xlo,
                         .ylo = domain->ylo,
                         .components = components};
    if (keeps)
        r->values = calloc((size_t)(r->nx * r->ny), (size_t)components * sizeof(double));
    return keeps && !r->values ? -ENOMEM : 0;
}

int raster_read(struct raster *r, struct mesh_port *mesh, int field, int components,
                struct cca_error *err)
{
    const struct mesh_domain *domain = mesh->domain(mesh);
    int levels = mesh->level_count(mesh);
    int code = raster_init(r, domain, components, mesh->rank(mesh) == 0);

    for (int level = 0; level < levels && !code; level++) {
        if (level > 0 && r->values)
            code = raster_refine(r, mesh->ratio(mesh, level - 1));
        if (!code)
            code = mesh->gather(mesh, level, field, r->values);
    }
    r->dx = (domain->xhi - domain->xlo) / (double)r->nx;
    r->dy = (domain->yhi - domain->ylo) / (double)r->ny;
    return code ? cca_error_set(err, code,
                                "cannot collect the field over a domain of %" PRId64
                                " x %" PRId64 " cells: %s",
                                domain->nx, domain->ny, strerror(-code))
                : 0;
}

void raster_done(struct raster *r)
{
    free(r->values);
    r->values = NULL;
}
