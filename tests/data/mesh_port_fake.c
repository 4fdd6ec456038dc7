/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_port_fake.c: the step of docs/guide/components.md against a mesh of three levels that
 * writes down what it is asked. The test extracts the code of that page to step.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ports/boundary_port.h"
#include "ports/mesh_port.h"
#include "ports/rhs_port.h"

#include "step.h"

#define LEVELS 3
#define GHOST 2
#define SIDE 4
#define PITCH (SIDE + 2 * GHOST)
#define PLANE (PITCH * PITCH)

struct fake {
    struct mesh_port mesh;
    struct rhs_port rhs;
    struct boundary_port boundary;
    struct mesh_patch patch[LEVELS];
    double field[LEVELS][3][5 * PLANE];
    double registered[LEVELS][2]; /* time that fluxes were registered for */
    int exchanges[LEVELS];
    char fractions[512];
};

static struct fake *fake_of(struct mesh_port *mesh)
{
    return cca_container_of(mesh, struct fake, mesh);
}

static int fake_level_count(struct mesh_port *mesh)
{
    (void)mesh;
    return LEVELS;
}

static int fake_ratio(struct mesh_port *mesh, int level)
{
    (void)mesh;
    (void)level;
    return 2;
}

static int fake_patch_count(struct mesh_port *mesh, int level)
{
    (void)mesh;
    (void)level;
    return 1;
}

static const struct mesh_patch *fake_patch(struct mesh_port *mesh, int level, int index)
{
    (void)index;
    return &fake_of(mesh)->patch[level];
}

static double *fake_field(struct mesh_port *mesh, int level, int index, int field)
{
    (void)index;
    return fake_of(mesh)->field[level][field];
}

static int fake_exchange(struct mesh_port *mesh, int level, int field, double fraction,
                         int64_t *cells, int64_t *bytes, int64_t *peers)
{
    struct fake *f = fake_of(mesh);
    size_t used = strlen(f->fractions);

    (void)field;
    (void)cells;
    (void)bytes;
    (void)peers;
    if (f->exchanges[level]++ % 2 == 0)
        printf("L%d ", level);
    if (level)
        snprintf(f->fractions + used, sizeof f->fractions - used, "%d:%g ", level,
                 fraction);
    return 0;
}

static int fake_keep_old(struct mesh_port *mesh, int level, int field)
{
    (void)mesh;
    (void)field;
    printf("keep%d ", level);
    return 0;
}

static int fake_restrict(struct mesh_port *mesh, int level, int field)
{
    (void)mesh;
    (void)field;
    printf("restrict%d ", level);
    return 0;
}

static int fake_register(struct mesh_port *mesh, int level, int index, int axis,
                         const double *flux, double dt_s)
{
    (void)index;
    (void)flux;
    fake_of(mesh)->registered[level][axis] += dt_s;
    return 0;
}

static int fake_reflux(struct mesh_port *mesh, int level, int field)
{
    (void)mesh;
    (void)field;
    printf("reflux%d ", level);
    return 0;
}

static int fake_balance(struct mesh_port *mesh, int64_t step, int64_t *moved,
                        struct cca_error *err)
{
    (void)mesh;
    (void)moved;
    (void)err;
    printf("balance%d ", (int)step);
    return 0;
}

static int fake_regrid(struct mesh_port *mesh, int level, int flags, int64_t *moved,
                       struct cca_error *err)
{
    (void)moved;
    (void)mesh;
    (void)flags;
    (void)err;
    printf("regrid%d ", level);
    return 1;
}

/* du/dt is 1: after a step of 1 s every cell of every level is 1. */
static int fake_evaluate(struct rhs_port *rhs, int nx, int ny,
                         const struct mesh_patch *patch, const double *u, double *dudt,
                         double *flux_x, double *flux_y)
{
    (void)rhs;
    (void)patch;
    (void)u;
    for (int i = 0; i < 5 * PLANE; i++)
        dudt[i] = 1.;
    memset(flux_x, 0, 5 * (size_t)(nx + 1) * (size_t)ny * sizeof *flux_x);
    memset(flux_y, 0, 5 * (size_t)nx * (size_t)(ny + 1) * sizeof *flux_y);
    return 0;
}

static int fake_apply(struct boundary_port *boundary, const struct mesh_patch *patch,
                      double *u, int64_t *cells)
{
    (void)boundary;
    (void)patch;
    (void)u;
    (void)cells;
    return 0;
}

static int flag_nothing(struct amr *a)
{
    (void)a;
    return 0;
}

int main(void)
{
    struct fake *f = calloc(1, sizeof *f);
    struct amr a = {
        .field = 0, .start = 1, .rate = 2, .flag = flag_nothing, .regrid_every = 2};
    struct cca_error err = {0};
    int code = 0;

    if (!f)
        return 5;
    f->mesh = (struct mesh_port){
        .level_count = fake_level_count,
        .ratio = fake_ratio,
        .patch_count = fake_patch_count,
        .patch = fake_patch,
        .field = fake_field,
        .exchange = fake_exchange,
        .keep_old = fake_keep_old,
        .restrict_level = fake_restrict,
        .register_flux = fake_register,
        .reflux = fake_reflux,
        .regrid = fake_regrid,
        .balance = fake_balance,
    };
    f->rhs.evaluate = fake_evaluate;
    f->boundary.apply = fake_apply;
    for (int level = 0; level < LEVELS; level++)
        f->patch[level] = (struct mesh_patch){
            .level = level,
            .nx = SIDE,
            .ny = SIDE,
            .ghost = GHOST,
            .pitch = PITCH,
            .plane = PLANE,
        };
    a.mesh = &f->mesh;
    a.rhs = &f->rhs;
    a.boundary = &f->boundary;
    for (int step = 0; step < 2 && !code; step++) {
        code = amr_step(&a, 1., &err);
        printf("\n");
    }
    printf("fractions %s\n", f->fractions);
    for (int level = 0; level < LEVELS; level++)
        printf("level %d: cell %g, registered %g and %g\n", level,
               f->field[level][0][GHOST * PITCH + GHOST], f->registered[level][0],
               f->registered[level][1]);
    free(a.flux);
    free(f);
    return code ? 4 : 0;
}
