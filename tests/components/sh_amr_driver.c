/* SPDX-License-Identifier: BSD-3-Clause */
/* sh_amr_driver.c: the class AmrDriver steps a problem on an adaptive mesh, flagging
 * cells where the density changes, and writes the conserved variables of all levels. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/boundary_port.h"
#include "ports/characteristics_port.h"
#include "ports/go_port.h"
#include "ports/initial_port.h"
#include "ports/integrator_port.h"
#include "ports/mesh_port.h"

struct driver {
    struct go_port port;
    struct cca_services *services;
};

struct run {
    struct cca_services *services;
    struct mesh_port *mesh;
    struct integrator_port *integrator;
    struct initial_port *initial;
    struct boundary_port *boundary;
    struct characteristics_port *characteristics;
    int field, flags;
    double time_s;
    int64_t regrids, moves; /* that changed something */
};

static double param(struct run *r, const char *name)
{
    return cca_services_param_double(r->services, name);
}

static int run_define(struct run *r, struct cca_error *err)
{
    struct mesh_domain domain = {.nx = cca_services_param_long(r->services, "nx"),
                                 .ny = cca_services_param_long(r->services, "ny")};
    int code = r->initial->extent(r->initial, &domain);

    domain.periodic_x = r->boundary->periodic(r->boundary, 0);
    domain.periodic_y = r->boundary->periodic(r->boundary, 1);
    if (!code)
        code = r->mesh->define(r->mesh, &domain,
                               r->integrator->ghost_needed(r->integrator), err);
    if (!code)
        code = r->field =
            r->mesh->field_new(r->mesh, "conserved", EULER_NVAR, MESH_KEPT, err);
    if (code >= 0)
        code = r->integrator->prepare(r->integrator, r->field, err);
    if (code >= 0)
        code = r->flags = r->mesh->field_new(r->mesh, "flags", 1, MESH_SCRATCH, err);
    return code < 0 ? code : 0;
}

static int levels_fill(struct run *r)
{
    int code = 0;

    for (int l = 0; l < r->mesh->level_count(r->mesh); l++)
        for (int k = 0; k < r->mesh->patch_count(r->mesh, l) && !code; k++) {
            const struct mesh_patch *p = r->mesh->patch(r->mesh, l, k);

            code = r->initial->fill(r->initial, p->nx, p->ny, p,
                                    r->mesh->field(r->mesh, l, k, r->field));
        }
    return code;
}

/* 1 where the density differs from a neighbour's by more than a part of itself. */
static void patch_flag(const struct mesh_patch *p, const double *u, double *flags,
                       double part)
{
    for (int j = 0; j < p->ny; j++)
        for (int i = 0; i < p->nx; i++) {
            ptrdiff_t at = (j + p->ghost) * p->pitch + i + p->ghost;
            double x = fmax(fabs(u[at + 1] - u[at]), fabs(u[at] - u[at - 1]));
            double y =
                fmax(fabs(u[at + p->pitch] - u[at]), fabs(u[at] - u[at - p->pitch]));

            flags[at] = fmax(x, y) > part * u[at];
        }
}

static int run_regrid(struct run *r, struct cca_error *err)
{
    int64_t moved = 0; /* an out-parameter for a proxy */
    int code = 0;

    for (int l = 0; l < r->mesh->level_count(r->mesh) && !code; l++) {
        code = r->mesh->exchange(r->mesh, l, r->field, 1., NULL, NULL, NULL);
        for (int k = 0; k < r->mesh->patch_count(r->mesh, l) && !code; k++) {
            const struct mesh_patch *p = r->mesh->patch(r->mesh, l, k);
            double *u = r->mesh->field(r->mesh, l, k, r->field);

            code = r->boundary->apply(r->boundary, p, u, NULL);
            patch_flag(p, u, r->mesh->field(r->mesh, l, k, r->flags), param(r, "part"));
        }
    }
    if (!code)
        code = r->mesh->regrid(r->mesh, 0, r->flags, &moved, err);
    r->regrids += code == 1;
    return code < 0 ? code : 0;
}

/* Give the mesh its own patches, level by level. */
static int run_adopt(struct run *r, struct cca_error *err)
{
    struct mesh_box *boxes[8] = {0};
    int levels = r->mesh->level_count(r->mesh), counts[8] = {0}, code = 0;

    for (int l = 1; l < levels; l++) {
        counts[l] = r->mesh->box_count(r->mesh, l);
        boxes[l] = calloc((size_t)counts[l], sizeof *boxes[l]);
        /* In another order, and from no rank. */
        for (int k = 0; boxes[l] && k < counts[l]; k++) {
            r->mesh->box(r->mesh, l, counts[l] - 1 - k, &boxes[l][k]);
            boxes[l][k].rank = -1;
        }
    }
    for (int l = 1; l < levels && !code; l++)
        code = r->mesh->adopt(r->mesh, l, boxes[l], counts[l], err);
    for (int l = 1; l < levels; l++)
        free(boxes[l]);
    return code;
}

static int step_choose(struct run *r, double *dt_s)
{
    double least = HUGE_VAL;
    int code = 0;

    for (int l = 0, ratio = 1; l < r->mesh->level_count(r->mesh); l++, ratio *= 2)
        for (int k = 0; k < r->mesh->patch_count(r->mesh, l) && !code; k++) {
            const struct mesh_patch *p = r->mesh->patch(r->mesh, l, k);
            double dt = 0.;

            code = r->characteristics->time_step(r->characteristics, p->nx, p->ny, p,
                                                 r->mesh->field(r->mesh, l, k, r->field),
                                                 &dt);
            least = fmin(least, dt * ratio);
        }
    *dt_s = param(r, "cfl") * r->mesh->minimum(r->mesh, least);
    return code;
}

static int run_steps(struct run *r, struct cca_error *err)
{
    int64_t steps = cca_services_param_long(r->services, "steps");
    int64_t every = cca_services_param_long(r->services, "regrid_every");
    double t_end = param(r, "t_end");
    int code = 0;

    for (int64_t step = 0; step < steps && r->time_s < t_end && !code; step++) {
        double dt_s = 0.;
        int64_t moved = 0;

        code = r->mesh->balance(r->mesh, step, &moved, err);
        r->moves += code == 1;
        code = code < 0 ? code : 0;
        if (!code && every && step && step % every == 0)
            code = run_regrid(r, err);
        if (!code && step == cca_services_param_long(r->services, "adopt_at"))
            code = run_adopt(r, err);
        if (!code)
            code = step_choose(r, &dt_s);
        if (dt_s > t_end - r->time_s)
            dt_s = t_end - r->time_s;
        if (!code)
            code = r->integrator->advance(r->integrator, 0, r->time_s, dt_s);
        r->time_s += dt_s;
    }
    return code;
}

/* All levels, one after the other, [5][ny][nx] each, -1 where a level has no cells; and
 * their boxes on standard output, without owners. */
static int run_write(struct run *r)
{
    const char *path = cca_services_param_string(r->services, "file");
    int writes = *path && r->mesh->rank(r->mesh) == 0, code = 0;
    FILE *file = writes ? fopen(path, "wb") : NULL;

    if (!*path)
        return 0;
    for (int l = 0; l < r->mesh->level_count(r->mesh) && !code; l++) {
        const struct mesh_domain *d = r->mesh->domain(r->mesh);
        size_t count = (size_t)(d->nx * d->ny) * EULER_NVAR << 2 * l;
        double *values = malloc(count * sizeof *values);

        for (size_t i = 0; values && i < count; i++)
            values[i] = -1.;
        code = values ? r->mesh->gather(r->mesh, l, r->field, values) : -ENOMEM;
        if (!code && writes &&
            (!file || fwrite(values, sizeof *values, count, file) < count))
            code = -EIO;
        free(values);
    }
    if (file && fclose(file))
        code = -EIO;
    for (int l = 0; l < r->mesh->level_count(r->mesh) && writes; l++)
        for (int k = 0; k < r->mesh->box_count(r->mesh, l); k++) {
            struct mesh_box b;

            r->mesh->box(r->mesh, l, k, &b);
            printf("level %d: %" PRId64 " x %" PRId64 " from %" PRId64 ", %" PRId64 "\n",
                   l, b.nx, b.ny, b.ilo, b.jlo);
        }
    return code;
}

static int driver_go(struct go_port *self)
{
    struct driver *k = cca_container_of(self, struct driver, port);
    CCA_USE(struct mesh_port, mesh, k->services, "mesh");
    CCA_USE(struct integrator_port, integrator, k->services, "integrator");
    CCA_USE(struct initial_port, initial, k->services, "initial");
    CCA_USE(struct boundary_port, boundary, k->services, "boundary");
    CCA_USE(struct characteristics_port, characteristics, k->services, "characteristics");
    struct run run = {.services = k->services,
                      .mesh = mesh,
                      .integrator = integrator,
                      .initial = initial,
                      .boundary = boundary,
                      .characteristics = characteristics};
    struct cca_error err = {0};
    int code;

    if (!mesh || !integrator || !initial || !boundary || !characteristics)
        return -ENOTCONN;
    code = run_define(&run, &err);
    if (!code)
        code = levels_fill(&run);
    for (int l = 1; l < 8 && !code; l++) {
        code = run_regrid(&run, &err);
        if (!code)
            code = levels_fill(&run);
    }
    run.regrids = 0;
    if (!code)
        code = run_steps(&run, &err);
    if (!code)
        code = run_write(&run);
    if (code)
        return cca_services_fail(k->services, code, "%s",
                                 err.code ? err.text : "the run failed");
    if (*cca_services_param_string(k->services, "file") && mesh->rank(mesh) == 0)
        printf("time %.17g, levels %d, regrids %" PRId64 "\n", run.time_s,
               mesh->level_count(mesh), run.regrids);
    if (mesh->rank(mesh) == 0 && run.moves)
        fprintf(stderr, "moves %" PRId64 "\n", run.moves);
    return 0;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = driver_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services),
    .name = "AmrDriver",
    .summary = "steps a problem on an adaptive mesh",
    CCA_IMPLEMENTS({"go", offsetof(struct driver, port), &port.base}),
    CCA_USES(CCA_REQUIRED("mesh", MESH_PORT_TYPE, struct mesh_port),
             CCA_REQUIRED("integrator", INTEGRATOR_PORT_TYPE, struct integrator_port),
             CCA_REQUIRED("initial", INITIAL_PORT_TYPE, struct initial_port),
             CCA_REQUIRED("boundary", BOUNDARY_PORT_TYPE, struct boundary_port),
             CCA_REQUIRED("characteristics", CHARACTERISTICS_PORT_TYPE,
                          struct characteristics_port)),
    CCA_PARAMS(
        {"nx", CCA_LONG, "32", "1", NULL, NULL, "cells", "cells in x", NULL},
        {"ny", CCA_LONG, "8", "1", NULL, NULL, "cells", "cells in y", NULL},
        {"steps", CCA_LONG, "1000000", "0", NULL, NULL, NULL, "steps at most", NULL},
        {"t_end", CCA_DOUBLE, "1000", "0", NULL, NULL, "s", "time to end at", NULL},
        {"cfl", CCA_DOUBLE, "0.4", "1e-6", "1", NULL, NULL, "Courant number", NULL},
        {"regrid_every", CCA_LONG, "2", "0", NULL, NULL, "steps", "0: never", NULL},
        {"adopt_at", CCA_LONG, "-1", "-1", NULL, NULL, "step",
         "give the mesh its patches anew before this step; -1: never", NULL},
        {"part", CCA_DOUBLE, "0.05", "0", NULL, NULL, NULL,
         "change of the density to flag", NULL},
        {"file", CCA_STRING, "", NULL, NULL, NULL, NULL, "file to write; empty: none",
         NULL}),
};
