/* SPDX-License-Identifier: BSD-3-Clause */
/* RK2.c: Heun's method, the strong-stability-preserving Runge-Kutta scheme of second
 * order:
 *
 *     u1 = u0 + dt L(u0)
 *     u  = (u0 + u1 + dt L(u1)) / 2
 *
 * With one stage it is Euler's method, of first order. On a mesh of several levels a
 * level is advanced first, then the finer level in as many steps as the refinement ratio,
 * with ghost cells interpolated between the coarser level's old and new values (M. Berger
 * and J. Oliger, J. Comput. Phys. 53 (1984) 484); then the coarser level is corrected by
 * the fluxes of the finer level and, under it, replaced by its means.
 * docs/guide/components.md has the order. An error message names the patch, the step and
 * the time. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/euler.h"
#include "components/probe.h"
#include "framework/cca.h"
#include "ports/boundary_port_signature.h"
#include "ports/integrator_port_signature.h"
#include "ports/mesh_port_signature.h"
#include "ports/rhs_port_signature.h"

struct rk2 {
    struct integrator_port port;
    struct cca_services *services;
    struct prober prober;
    int field, start, rate; /* ids of the fields: u, u at the start of the step, du/dt */
    int64_t steps; /* number of steps, on all levels, begun since `prepare` of the
                      integrator port */
    double *flux;  /* memory for the fluxes of both axes of the largest patch so far */
    size_t flux_count;
};

/* Ports used in one step. */
struct rk2_ports {
    struct mesh_port *mesh;
    struct rhs_port *rhs;
    struct boundary_port *boundary;
    int stages;
};

/* One step of a level. */
struct rk2_step {
    int level;
    double time_s, dt_s;
    double fraction, part; /* begin and length of the step as fractions of the coarser
                            * level's step */
};

static int rk2_prepare(struct integrator_port *self, int field, struct cca_error *err)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    struct mesh_port *mesh = cca_services_get(k->services, "mesh", err);
    int code = 0;

    if (!mesh)
        return -ENOTCONN;
    k->field = field;
    k->steps = 0;
    code = k->start = mesh->field_new(mesh, "rk2.start", EULER_NVAR, MESH_SCRATCH, err);
    if (code >= 0)
        code = k->rate = mesh->field_new(mesh, "rk2.rate", EULER_NVAR, MESH_SCRATCH, err);
    cca_services_release_port(k->services, "mesh", NULL);
    return code < 0 ? code : 0;
}

/* Make one stage on the interior of a patch: u += dt rate; the second stage then takes
 * the mean with u at the start of the step. */
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
                      const struct rk2_step *step, int stage)
{
    char level[32] = "";

    if (patch->level)
        snprintf(level, sizeof level, "level %d, ", patch->level);
    return cca_services_fail(
        k->services, code,
        "step %" PRId64 ", time %.9g, stage %d, %spatch %d (%d x %d cells from %" PRId64
        ", %" PRId64 "): %s",
        k->steps, step->time_s, stage + 1, level, patch->index, patch->nx, patch->ny,
        patch->ilo, patch->jlo,
        code == -EDOM ? "density or pressure is not positive" : strerror(-code));
}

/* Allocate the fluxes of both axes of a patch. */
static int flux_reserve(struct rk2 *k, const struct mesh_patch *p)
{
    size_t needed = EULER_NVAR * ((size_t)(p->nx + 1) * (size_t)p->ny +
                                  (size_t)p->nx * (size_t)(p->ny + 1));

    if (needed > k->flux_count) {
        free(k->flux);
        k->flux = malloc(needed * sizeof *k->flux);
        k->flux_count = k->flux ? needed : 0;
    }
    return k->flux ? 0 : -ENOMEM;
}

/* Compute the rate of a patch, and add its fluxes to the registers if there are several
 * levels. */
static int patch_rate(struct rk2 *k, const struct rk2_ports *p,
                      const struct mesh_patch *patch, const double *u, double *rate,
                      double dt_s)
{
    int levels = p->mesh->level_count(p->mesh);
    int code = levels > 1 ? flux_reserve(k, patch) : 0;
    double *flux_x = levels > 1 ? k->flux : NULL;
    double *flux_y =
        levels > 1 ? k->flux + EULER_NVAR * (ptrdiff_t)(patch->nx + 1) * patch->ny : NULL;

    if (!code)
        code = p->rhs->evaluate(p->rhs, patch->nx, patch->ny, patch, u, rate, flux_x,
                                flux_y);
    /* each stage contributes the same fraction of the step's fluxes */
    if (!code && levels > 1)
        code = p->mesh->register_flux(p->mesh, patch->level, patch->index, 0, flux_x,
                                      dt_s / p->stages);
    if (!code && levels > 1)
        code = p->mesh->register_flux(p->mesh, patch->level, patch->index, 1, flux_y,
                                      dt_s / p->stages);
    return code;
}

static int stage_run(struct rk2 *k, const struct rk2_ports *p,
                     const struct rk2_step *step, int stage)
{
    int64_t cells = 0, bytes = 0, peers = 0; /* out-parameters of the port's call,
                                              * which a proxy records */
    int level = step->level, patches = p->mesh->patch_count(p->mesh, level);
    int code =
        p->mesh->exchange(p->mesh, level, k->field, step->fraction + stage * step->part,
                          &cells, &bytes, &peers);

    if (code)
        return cca_services_fail(k->services, code,
                                 "step %" PRId64 ", time %.9g: no exchange "
                                 "of ghost cells: %s",
                                 k->steps, step->time_s, strerror(-code));
    for (int index = 0; index < patches; index++) {
        const struct mesh_patch *patch = p->mesh->patch(p->mesh, level, index);
        double *u = p->mesh->field(p->mesh, level, index, k->field);
        double *start = p->mesh->field(p->mesh, level, index, k->start);
        double *rate = p->mesh->field(p->mesh, level, index, k->rate);

        if (k->prober.port)
            k->prober.port->begin(k->prober.port, patch);
        if (patch->boundary)
            code = p->boundary->apply(p->boundary, patch, u, &cells);
        if (!code)
            code = patch_rate(k, p, patch, u, rate, step->dt_s);
        if (code)
            return patch_fail(k, code, patch, step, stage);
        /* ghost cells are copies, so a patch may be updated before its neighbours */
        stage_update(patch, u, start, rate, step->dt_s, stage);
        if (k->prober.port)
            k->prober.port->end(k->prober.port);
    }
    return 0;
}

/* Advance a level by one step, and the finer levels to the end of this step. */
static int level_advance(struct rk2 *k, const struct rk2_ports *p,
                         const struct rk2_step *step)
{
    int level = step->level, finer = level + 1 < p->mesh->level_count(p->mesh);
    int ratio = finer ? p->mesh->ratio(p->mesh, level) : 1;
    int code = finer ? p->mesh->keep_old(p->mesh, level, k->field) : 0;

    k->steps++;
    for (int stage = 0; stage < p->stages && !code; stage++)
        code = stage_run(k, p, step, stage);
    for (int n = 0; n < ratio && finer && !code; n++) {
        struct rk2_step part = {
            .level = level + 1,
            .time_s = step->time_s + n * step->dt_s / ratio,
            .dt_s = step->dt_s / ratio,
            .fraction = (double)n / ratio,
            .part = 1. / ratio,
        };

        code = level_advance(k, p, &part);
    }
    if (finer && !code)
        code = p->mesh->reflux(p->mesh, level, k->field);
    if (finer && !code)
        code = p->mesh->restrict_level(p->mesh, level, k->field);
    return code;
}

static int rk2_advance(struct integrator_port *self, int level, double time_s,
                       double dt_s)
{
    struct rk2 *k = cca_container_of(self, struct rk2, port);
    CCA_USE(struct mesh_port, mesh, k->services, "mesh");
    CCA_USE(struct rhs_port, rhs, k->services, "rhs");
    CCA_USE(struct boundary_port, boundary, k->services, "boundary");
    struct rk2_ports ports = {mesh, rhs, boundary,
                              (int)cca_services_param_long(k->services, "stages")};
    struct rk2_step step = {level, time_s, dt_s, 0., 1.};

    if (!mesh || !rhs || !boundary)
        return -ENOTCONN;
    return level_advance(k, &ports, &step);
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

static int rk2_set_services(void *self, struct cca_services *services,
                            struct cca_error *err)
{
    struct rk2 *k = self;

    return prober_init(&k->prober, services, err);
}

static void rk2_destroy(void *self)
{
    struct rk2 *k = self;

    free(k->flux);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct rk2, services),
    .name = "RK2",
    .summary = "Heun's method: second order in time, two evaluations a step",
    CCA_SIGNATURES(INTEGRATOR_PORT_SIGNATURE, MESH_PORT_SIGNATURE, RHS_PORT_SIGNATURE,
                   BOUNDARY_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"integrator", offsetof(struct rk2, port), &port.base}),
    CCA_USES(CCA_REQUIRED("mesh", MESH_PORT_TYPE, struct mesh_port),
             CCA_REQUIRED("rhs", RHS_PORT_TYPE, struct rhs_port),
             CCA_REQUIRED("boundary", BOUNDARY_PORT_TYPE, struct boundary_port),
             PROBE_USES, PROBE_EVENTS),
    .set_services = rk2_set_services,
    CCA_PARAMS({"stages", CCA_LONG, "2", "1", "2", NULL, NULL,
                "2: Heun's method; 1: Euler's, which is enough for first order in space",
                NULL}),
    .destroy = rk2_destroy,
};
