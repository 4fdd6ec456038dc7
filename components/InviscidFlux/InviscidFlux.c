/* SPDX-License-Identifier: BSD-3-Clause */
/* InviscidFlux.c: right-hand side of the Euler equations on one patch: states at the
 * faces, fluxes through them, their differences.
 *
 * The x and the y difference are added as -(A + B), which does not depend on their order:
 * a problem and its transpose give the same bits. */
#include <errno.h>
#include <stdlib.h>

#include "components/euler.h"
#include "components/probe.h"
#include "framework/cca.h"
#include "ports/flux_port_signature.h"
#include "ports/rhs_port_signature.h"
#include "ports/states_port_signature.h"

struct inviscid {
    struct rhs_port port;
    struct cca_services *services;
    struct prober prober;
    /* memory for states and fluxes of the faces of the largest patch so far */
    double *work;
    size_t work_count;
};

/* Pointers into the memory `work`: left and right states and fluxes of both axes. */
struct faces {
    double *left, *right, *flux[2];
};

static int faces_reserve(struct inviscid *k, int nx, int ny, struct faces *faces)
{
    size_t x_count = EULER_NVAR * ((size_t)nx + 1) * (size_t)ny;
    size_t y_count = EULER_NVAR * (size_t)nx * ((size_t)ny + 1);
    size_t most = x_count > y_count ? x_count : y_count;
    size_t needed = 2 * most + x_count + y_count;

    if (needed > k->work_count) {
        free(k->work); /* the contents of `work` are valid during one call only */
        k->work = malloc(needed * sizeof *k->work);
        k->work_count = k->work ? needed : 0;
        if (!k->work) {
            cca_services_fail(k->services, -ENOMEM,
                              "out of memory for the faces of a patch of %d x %d cells",
                              nx, ny);
            return -ENOMEM;
        }
    }
    faces->left = k->work;
    faces->right = faces->left + most;
    faces->flux[0] = faces->right + most;
    faces->flux[1] = faces->flux[0] + x_count;
    return 0;
}

static int fluxes_compute(struct inviscid *k, const struct mesh_patch *patch,
                          const double *u, const struct faces *faces)
{
    CCA_USE(struct states_port, states, k->services, "states");
    CCA_USE(struct flux_port, flux, k->services, "flux");
    const int64_t id = ((int64_t)patch->level << 32) + patch->number;
    int code = states && flux ? 0 : -ENOTCONN;

    for (int axis = 0; axis < 2 && !code; axis++) {
        int64_t iterations = 0, active = -1; /* a proxy records them */

        code =
            states->reconstruct(states, axis, patch->nx, patch->ny, patch->ghost,
                                patch->pitch, patch->plane, u, faces->left, faces->right);
        if (!code)
            code = flux->compute(flux, axis, patch->nx + !axis, patch->ny + axis, id,
                                 faces->left, faces->right, faces->flux[axis],
                                 &iterations, &active);
    }
    return code;
}

static void difference(const struct mesh_patch *patch, const double *flux_x,
                       const double *flux_y, double *dudt)
{
    int nx = patch->nx, ny = patch->ny;

    for (int n = 0; n < EULER_NVAR; n++)
        for (int j = 0; j < ny; j++) {
            const double *fx = flux_x + ((ptrdiff_t)n * ny + j) * (nx + 1);
            const double *fy = flux_y + ((ptrdiff_t)n * (ny + 1) + j) * nx;
            double *row = dudt + n * patch->plane + (j + patch->ghost) * patch->pitch +
                          patch->ghost;

            for (int i = 0; i < nx; i++)
                row[i] =
                    -((fx[i + 1] - fx[i]) / patch->dx + (fy[i + nx] - fy[i]) / patch->dy);
        }
}

static int inviscid_evaluate(struct rhs_port *self, int nx, int ny,
                             const struct mesh_patch *patch, const double *u,
                             double *dudt, double *flux_x, double *flux_y)
{
    struct inviscid *k = cca_container_of(self, struct inviscid, port);
    struct faces faces = {0};
    int code = faces_reserve(k, nx, ny, &faces);

    if (code)
        return code;
    if (flux_x && flux_y) {
        faces.flux[0] = flux_x;
        faces.flux[1] = flux_y;
    }
    if (k->prober.port)
        k->prober.port->begin(k->prober.port, patch);
    code = fluxes_compute(k, patch, u, &faces);
    if (k->prober.port)
        k->prober.port->end(k->prober.port);
    if (!code)
        difference(patch, faces.flux[0], faces.flux[1], dudt);
    return code;
}

static int inviscid_ghost_needed(struct rhs_port *self)
{
    struct inviscid *k = cca_container_of(self, struct inviscid, port);
    CCA_USE(struct states_port, states, k->services, "states");

    return states ? states->ghost_needed(states) : -ENOTCONN;
}

static const struct rhs_port port = {.base = {RHS_PORT_TYPE, sizeof port},
                                     .evaluate = inviscid_evaluate,
                                     .ghost_needed = inviscid_ghost_needed};

static int inviscid_set_services(void *self, struct cca_services *services,
                                 struct cca_error *err)
{
    struct inviscid *k = self;

    return prober_init(&k->prober, services, err);
}

static void inviscid_destroy(void *self)
{
    struct inviscid *k = self;

    free(k->work);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct inviscid, services),
    .name = "InviscidFlux",
    .summary = "right-hand side of the Euler equations on a patch",
    CCA_SIGNATURES(RHS_PORT_SIGNATURE, STATES_PORT_SIGNATURE, FLUX_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"rhs", offsetof(struct inviscid, port), &port.base}),
    CCA_USES(CCA_REQUIRED("states", STATES_PORT_TYPE, struct states_port),
             CCA_REQUIRED("flux", FLUX_PORT_TYPE, struct flux_port), PROBE_USES,
             PROBE_EVENTS),
    .set_services = inviscid_set_services,
    .destroy = inviscid_destroy,
};
