/* SPDX-License-Identifier: BSD-3-Clause */
/* BoundaryConditions.c: fill ghost cells outside the domain: reflecting walls, zero
 * gradient, and periodic borders, which the mesh fills.
 *
 * Sides in x are filled over all rows, then sides in y over all columns, so corners are
 * defined, too. Ghost layers are filled from the inside outwards, alternating between the
 * two sides of an axis: a patch with fewer cells than ghost layers then mirrors cells
 * that have just been filled. */
#include <errno.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/boundary_port_signature.h"

/* number of conserved variables: rho, rho u, rho v, rho E, rho zeta */
#define COMPONENTS 5

struct boundary {
    struct boundary_port port;
    struct cca_services *services;
};

static const char *const side_names[] = {"xlo", "xhi", "ylo", "yhi"};

/* Fill one ghost layer of one side: `line_count` cells from `to` on, each a copy of the
 * cell at the same distance from `from`. The sign of component `reversed` is changed; -1:
 * of no component. */
static void layer_fill(double *u, ptrdiff_t plane, ptrdiff_t to, ptrdiff_t from,
                       ptrdiff_t stride, int line_count, int reversed)
{
    for (int c = 0; c < COMPONENTS; c++) {
        double *target = u + c * plane + to;
        const double *source = u + c * plane + from;

        if (c == reversed)
            for (int i = 0; i < line_count; i++)
                target[i * stride] = -source[i * stride];
        else
            for (int i = 0; i < line_count; i++)
                target[i * stride] = source[i * stride];
    }
}

/* Fill ghost layer `layer` of a side; layer 0 is next to the domain. Returns the number
 * of cells. */
static int64_t side_fill(const struct mesh_patch *p, double *u, enum mesh_side side,
                         int layer, int wall)
{
    int in_x = side == MESH_XLO || side == MESH_XHI;
    int cells = in_x ? p->nx : p->ny;
    ptrdiff_t along = in_x ? p->pitch : 1;  /* distance between cells of the layer */
    ptrdiff_t across = in_x ? 1 : p->pitch; /* distance between layers */
    int line_count = (in_x ? p->ny : p->nx) + 2 * p->ghost;
    int mirror = wall ? layer : 0;
    int low = side == MESH_XLO || side == MESH_YLO;
    int to = low ? -1 - layer : cells + layer;
    int from = low ? mirror : cells - 1 - mirror;
    int reversed = !wall ? -1 : in_x ? 1 : 2;

    layer_fill(u, p->plane, (to + p->ghost) * across, (from + p->ghost) * across, along,
               line_count, reversed);
    return line_count;
}

static int boundary_apply(struct boundary_port *self, const struct mesh_patch *patch,
                          double *u, int64_t *cells)
{
    struct boundary *b = cca_container_of(self, struct boundary, port);
    int64_t filled = 0;
    int wall[4];

    for (int side = 0; side < 4; side++)
        wall[side] =
            !strcmp(cca_services_param_string(b->services, side_names[side]), "wall");
    for (int axis = 0; axis < 2; axis++)
        for (int layer = 0; layer < patch->ghost; layer++)
            for (int side = 2 * axis; side < 2 * axis + 2; side++)
                if (patch->boundary & 1u << side)
                    filled +=
                        side_fill(patch, u, (enum mesh_side)side, layer, wall[side]);
    if (cells)
        *cells = filled;
    return 0;
}

static int boundary_periodic(struct boundary_port *self, int axis)
{
    struct boundary *b = cca_container_of(self, struct boundary, port);
    const char *low = side_names[axis ? MESH_YLO : MESH_XLO];
    const char *high = side_names[axis ? MESH_YHI : MESH_XHI];
    int low_periodic = !strcmp(cca_services_param_string(b->services, low), "periodic");
    int high_periodic = !strcmp(cca_services_param_string(b->services, high), "periodic");

    if (low_periodic != high_periodic)
        return cca_services_fail(b->services, -EINVAL,
                                 "'%s' is periodic and '%s' is not: both or none",
                                 low_periodic ? low : high, low_periodic ? high : low);
    return low_periodic;
}

static const struct boundary_port boundary_methods = {
    .base = {BOUNDARY_PORT_TYPE, sizeof(struct boundary_port)},
    .apply = boundary_apply,
    .periodic = boundary_periodic,
};

#define KINDS "wall|outflow|periodic"

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct boundary, services),
    .name = "BoundaryConditions",
    .summary = "walls, zero gradient (outflow) and periodic borders",
    CCA_SIGNATURES(BOUNDARY_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"boundary", offsetof(struct boundary, port), &boundary_methods.base}),
    CCA_PARAMS({"xlo", CCA_STRING, "outflow", NULL, NULL, KINDS, NULL,
                "kind of the left side", NULL},
               {"xhi", CCA_STRING, "outflow", NULL, NULL, KINDS, NULL,
                "kind of the right side", NULL},
               {"ylo", CCA_STRING, "wall", NULL, NULL, KINDS, NULL,
                "kind of the lower side", NULL},
               {"yhi", CCA_STRING, "wall", NULL, NULL, KINDS, NULL,
                "kind of the upper side", NULL}),
};
