/* SPDX-License-Identifier: BSD-3-Clause */
/* RK2.c: Heun's method, the strong-stability-preserving Runge-Kutta scheme of second
 * order:
 *
 *     u1 = u0 + dt L(u0)
 *     u  = (u0 + u1 + dt L(u1)) / 2
 *
 * on meshes of one level. With one stage it is Euler's method, of first order. A failure
 * says which patch, when and at which step. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "components/euler.h"
#include "components/uses.h"
#include "ports/boundary_port.h"
#include "ports/integrator_port.h"
#include "ports/rhs_port.h"

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

static void ports_release(struct rk2 *k, const struct rk2_ports *p)
{
    if (p->boundary)
        uses_release(k->services, "boundary");
    if (p->rhs)
        uses_release(k->services, "rhs");
    if (p->mesh)
        uses_release(k->services, "mesh");
}

static int ports_get(struct rk2 *k, struct rk2_ports *p)
{
    memset(p, 0, sizeof *p);
    p->mesh = uses_get(k->services, "mesh", MESH_PORT_TYPE, sizeof *p->mesh);
    if (p->mesh)
        p->rhs = uses_get(k->services, "rhs", RHS_PORT_TYPE, sizeof *p->rhs);
    if (p->rhs)
        p->boundary =
            uses_get(k->services, "boundary", BOUNDARY_PORT_TYPE, sizeof *p->boundary);
    if (p->boundary)
        return 0;
    ports_release(k, p);
    return -ENOTCONN;
}

static int rk2_prepare(struct integrator_port *self, int field, struct cca_error *err)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    struct mesh_port *mesh =
        cca_services_get_port(k->services, "mesh", MESH_PORT_TYPE, sizeof *mesh, err);
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
    uses_release(k->services, "mesh");
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
    int64_t cells = 0; /* a proxy in between reports them */
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
    struct rk2_ports ports;
    int stages = (int)cca_services_param_long(k->services, "stages");
    int code = ports_get(k, &ports);

    if (code)
        return code;
    k->steps++;
    for (int stage = 0; stage < stages && !code; stage++)
        code = stage_run(k, &ports, level, time_s, dt_s, stage);
    ports_release(k, &ports);
    return code;
}

static int rk2_ghost_needed(struct integrator_port *self)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    struct rhs_port *rhs = uses_get(k->services, "rhs", RHS_PORT_TYPE, sizeof *rhs);
    int ghost;

    if (!rhs)
        return -ENOTCONN;
    ghost = rhs->ghost_needed(rhs);
    uses_release(k->services, "rhs");
    return ghost;
}

static void *rk2_create(const struct cca_class *cls, struct cca_error *err)
{
    struct rk2 *k = calloc(1, sizeof *k);

    (void)cls;
    if (!k) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    k->port = (struct integrator_port){
        .base = {INTEGRATOR_PORT_TYPE, sizeof(struct integrator_port)},
        .prepare = rk2_prepare,
        .advance = rk2_advance,
        .ghost_needed = rk2_ghost_needed,
    };
    return k;
}

static int rk2_set_services(void *self, struct cca_services *services,
                            struct cca_error *err)
{
    struct rk2 *k = self;

    k->services = services;
    return cca_services_add_provides_port(services, &k->port.base, "integrator", NULL,
                                          err);
}

static void rk2_destroy(void *self)
{
    free(self);
}

static const struct cca_port_decl provides[] = {
    {.name = "integrator",
     .type = INTEGRATOR_PORT_TYPE,
     .size = sizeof(struct integrator_port)},
    {0},
};

static const struct cca_port_decl uses[] = {
    {.name = "mesh",
     .type = MESH_PORT_TYPE,
     .size = sizeof(struct mesh_port),
     .min_connections = 1},
    {.name = "rhs",
     .type = RHS_PORT_TYPE,
     .size = sizeof(struct rhs_port),
     .min_connections = 1},
    {.name = "boundary",
     .type = BOUNDARY_PORT_TYPE,
     .size = sizeof(struct boundary_port),
     .min_connections = 1},
    {0},
};

static const struct cca_param_decl params[] = {
    {"stages", CCA_LONG, "2", "1", "2", NULL, NULL,
     "2: Heun's method; 1: Euler's, which is enough for first order in space", NULL},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "RK2",
    .summary = "Heun's method: second order in time, two evaluations a step",
    .provides = provides,
    .uses = uses,
    .params = params,
    .create = rk2_create,
    .set_services = rk2_set_services,
    .destroy = rk2_destroy,
};
