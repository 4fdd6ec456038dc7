/* SPDX-License-Identifier: BSD-3-Clause */
/* RK2.c: Heun's method, the strong-stability-preserving Runge-Kutta scheme of second
 * order:
 *
 *     u1 = u0 + dt L(u0)
 *     u  = (u0 + u1 + dt L(u1)) / 2
 *
 * on meshes of one level. With one stage it is Euler's method, of first order. An error
 * message names the patch, the step and the time. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/boundary_port_signature.h"
#include "ports/integrator_port_signature.h"
#include "ports/mesh_port_signature.h"
#include "ports/rhs_port_signature.h"

struct rk2 {
    struct integrator_port port;
    struct cca_services *services;
    int field, start, rate; /* ids: u, u at the start of the step, du/dt */
    int64_t steps;          /* begun since prepare */
};

/* The ports of one step. */
struct rk2_ports {
    struct mesh_port *mesh;
    struct rhs_port *rhs;
    struct boundary_port *boundary;
};

static int rk2_prepare(struct integrator_port *self, int field, struct cca_error *err)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    struct mesh_port *mesh = cca_services_get(k->services, "mesh", err);
    int code = 0;

    if (!mesh)
        return -ENOTCONN;
    if (mesh->level_count(mesh) != 1)
        code = cca_error_set(err, -ENOTSUP,
                             "RK2 integrates meshes of one level, this has %d",
                             mesh->level_count(mesh));
    k->field = field;
    k->steps = 0;
    if (!code)
        code = k->start = mesh->field_new(mesh, "rk2.start", EULER_NVAR, err);
    if (code >= 0)
        code = k->rate = mesh->field_new(mesh, "rk2.rate", EULER_NVAR, err);
    cca_services_release_port(k->services, "mesh", NULL);
    return code < 0 ? code : 0;
}

/* One stage on the interior of a patch: u += dt rate, averaged with the start on the
 * second. */
static void stage_update(const struct mesh_patch *patch, double *u, double *start,
                         const double *rate, double dt_s, int stage)
{
    for (int n = 0; n < EULER_NVAR; n++)
        for (int j = 0; j < patch->ny; j++) {
            ptrdiff_t at =
                n * patch->plane + (j + patch->ghost) * patch->pitch + patch->ghost;

            for (ptrdiff_t i = at; i < at + patch->nx; i++) {
                if (stage == 0) {
                    start[i] = u[i];
                    u[i] += dt_s * rate[i];
                } else {
                    u[i] = .5 * (start[i] + (u[i] + dt_s * rate[i]));
                }
            }
        }
}

static int patch_fail(struct rk2 *k, int code, const struct mesh_patch *patch,
                      double time_s, int stage)
{
    return cca_services_fail(
        k->services, code,
        "step %" PRId64 ", time %.9g, stage %d, patch %d (%d x %d cells from %" PRId64
        ", %" PRId64 "): %s",
        k->steps, time_s, stage + 1, patch->index, patch->nx, patch->ny, patch->ilo,
        patch->jlo,
        code == -EDOM ? "density or pressure is not positive" : strerror(-code));
}

static int stage_run(struct rk2 *k, const struct rk2_ports *p, int level, double time_s,
                     double dt_s, int stage)
{
    int64_t cells = 0; /* an out-parameter for a proxy */
    int patches = p->mesh->patch_count(p->mesh, level);
    int code = p->mesh->exchange(p->mesh, level, k->field, stage ? 1. : 0., &cells);

    if (code)
        return cca_services_fail(k->services, code,
                                 "step %" PRId64 ", time %.9g: no exchange "
                                 "of ghost cells: %s",
                                 k->steps, time_s, strerror(-code));
    for (int index = 0; index < patches; index++) {
        const struct mesh_patch *patch = p->mesh->patch(p->mesh, level, index);
        double *u = p->mesh->field(p->mesh, level, index, k->field);
        double *start = p->mesh->field(p->mesh, level, index, k->start);
        double *rate = p->mesh->field(p->mesh, level, index, k->rate);

        code = p->boundary->apply(p->boundary, patch, u, &cells);
        if (!code)
            code = p->rhs->evaluate(p->rhs, patch->nx, patch->ny, patch, u, rate, NULL,
                                    NULL);
        if (code)
            return patch_fail(k, code, patch, time_s, stage);
        /* Ghost cells hold copies, so a patch may go ahead of its neighbours. */
        stage_update(patch, u, start, rate, dt_s, stage);
    }
    return 0;
}

static int rk2_advance(struct integrator_port *self, int level, double time_s,
                       double dt_s)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    CCA_USE(struct mesh_port, mesh, k->services, "mesh");
    CCA_USE(struct rhs_port, rhs, k->services, "rhs");
    CCA_USE(struct boundary_port, boundary, k->services, "boundary");
    struct rk2_ports ports = {mesh, rhs, boundary};
    int stages = (int)cca_services_param_long(k->services, "stages");
    int code = 0;

    if (!mesh || !rhs || !boundary)
        return -ENOTCONN;
    k->steps++;
    for (int stage = 0; stage < stages && !code; stage++)
        code = stage_run(k, &ports, level, time_s, dt_s, stage);
    return code;
}

static int rk2_ghost_needed(struct integrator_port *self)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    CCA_USE(struct rhs_port, rhs, k->services, "rhs");

    return rhs ? rhs->ghost_needed(rhs) : -ENOTCONN;
}

static const struct integrator_port port = {
    .base = {INTEGRATOR_PORT_TYPE, sizeof port},
    .prepare = rk2_prepare,
    .advance = rk2_advance,
    .ghost_needed = rk2_ghost_needed,
};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct rk2, services),
    .name = "RK2",
    .summary = "Heun's method: second order in time, two evaluations a step",
    CCA_SIGNATURES(INTEGRATOR_PORT_SIGNATURE, MESH_PORT_SIGNATURE, RHS_PORT_SIGNATURE,
                   BOUNDARY_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"integrator", offsetof(struct rk2, port), &port.base}),
    CCA_USES(CCA_REQUIRED("mesh", MESH_PORT_TYPE, struct mesh_port),
             CCA_REQUIRED("rhs", RHS_PORT_TYPE, struct rhs_port),
             CCA_REQUIRED("boundary", BOUNDARY_PORT_TYPE, struct boundary_port)),
    CCA_PARAMS({"stages", CCA_LONG, "2", "1", "2", NULL, NULL,
                "2: Heun's method; 1: Euler's, which is enough for first order in space",
                NULL}),
};
