/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.c: the driver's work on all levels of the mesh between two steps. */
#include "components/ShockDriver/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Return the number of a level's steps in one step of level 0. */
static int64_t steps_of(struct run *r, int level)
{
    int64_t steps = 1;

    for (int l = 0; l < level; l++)
        steps *= r->mesh->ratio(r->mesh, l);
    return steps;
}

/* --- Initial state and refinement ------------------------------------------ */

static int levels_fill(struct run *r)
{
    for (int l = 0; l < r->mesh->level_count(r->mesh); l++)
        for (int i = 0; i < r->mesh->patch_count(r->mesh, l); i++) {
            const struct mesh_patch *patch = r->mesh->patch(r->mesh, l, i);
            double *u = r->mesh->field(r->mesh, l, i, r->field);
            int code = r->initial->fill(r->initial, patch->nx, patch->ny, patch, u);

            if (code)
                return run_fail(r, code, "no initial state");
        }
    return 0;
}

static int patch_flag(struct run *r, const struct mesh_patch *patch)
{
    double *u = r->mesh->field(r->mesh, patch->level, patch->index, r->field);
    double *flags = r->mesh->field(r->mesh, patch->level, patch->index, r->flags);
    int64_t cells = 0, flagged = 0; /* out-parameters of the port's call, which a proxy
                                     * records */
    int code = patch->boundary ? r->boundary->apply(r->boundary, patch, u, &cells) : 0;

    if (!code)
        code = r->estimator->flag(r->estimator, patch->nx, patch->ny, patch, u, flags,
                                  &flagged);
    return code ? run_fail_patch(r, code, patch) : 0;
}

static int level_flag(struct run *r, int level)
{
    int64_t cells = 0, bytes = 0, peers = 0; /* out-parameters of the port's call,
                                              * which a proxy records */
    int code = r->mesh->exchange(r->mesh, level, r->field, 1., &cells, &bytes, &peers);

    if (code)
        return run_fail(r, code, "no exchange of ghost cells");
    for (int i = 0; i < r->mesh->patch_count(r->mesh, level) && !code; i++)
        code = patch_flag(r, r->mesh->patch(r->mesh, level, i));
    return code;
}

int levels_size(struct run *r)
{
    int code = 0;

    for (int l = 0; l < r->mesh->level_count(r->mesh) && !code; l++) {
        int64_t cells = 0, faces = 0, patches = 0, bytes = 0;

        code = r->mesh->size(r->mesh, l, &cells, &faces, &patches, &bytes);
    }
    return code ? run_fail(r, code, "no sizes of levels") : 0;
}

/* Report a failure of the mesh, which has set `err`. */
static int mesh_fail(struct run *r, int code, const struct cca_error *err)
{
    return cca_services_fail(r->services, code, "step %" PRId64 ", time %.9g: %s",
                             r->now.step, r->now.time_s,
                             err->code ? err->text : strerror(-code));
}

/* Refine the mesh. Returns 1 if patches have changed, 0, or a negative errno. */
static int levels_refine(struct run *r)
{
    struct cca_error err = {0};
    int64_t moved = 0; /* a proxy records it */
    int code = 0;

    for (int l = 0; l < r->mesh->level_count(r->mesh) && !code; l++)
        code = level_flag(r, l);
    if (code)
        return code;
    code = r->mesh->regrid(r->mesh, 0, r->flags, &moved, &err);
    return code < 0 ? mesh_fail(r, code, &err) : code;
}

int levels_start(struct run *r)
{
    int code = levels_fill(r), changed = !code && r->estimator;

    /* each round of this loop can add one level to the mesh */
    for (int round = 0; round < MESH_LEVELS && changed && !code; round++) {
        changed = levels_refine(r);
        code = changed < 0 ? changed : 0;
        if (changed > 0)
            code = levels_fill(r);
    }
    return code ? code : levels_size(r);
}

int levels_arrange(struct run *r)
{
    struct cca_error err = {0};
    int64_t moved = 0; /* a proxy records it */
    int balanced = r->mesh->balance(r->mesh, r->now.step, &moved, &err), refined = 0;

    if (balanced < 0)
        return mesh_fail(r, balanced, &err);
    if (r->estimator && r->regrid_every && r->now.step &&
        r->now.step % r->regrid_every == 0)
        refined = levels_refine(r);
    if (refined < 0)
        return refined;
    return balanced || refined ? levels_size(r) : 0;
}

/* --- Time steps ------------------------------------------------------------ */

int levels_time_step(struct run *r, double *dt_s)
{
    double least = HUGE_VAL;

    for (int l = 0; l < r->mesh->level_count(r->mesh); l++)
        for (int i = 0; i < r->mesh->patch_count(r->mesh, l); i++) {
            const struct mesh_patch *patch = r->mesh->patch(r->mesh, l, i);
            const double *u = r->mesh->field(r->mesh, l, i, r->field);
            double dt = 0.;
            int code = r->characteristics->time_step(r->characteristics, patch->nx,
                                                     patch->ny, patch, u, &dt);

            if (code)
                return run_fail_patch(r, code, patch);
            least = fmin(least, dt * (double)steps_of(r, l));
        }
    *dt_s = r->mesh->minimum(r->mesh, least);
    return 0;
}

void levels_count(struct run *r)
{
    for (int l = 0; l < r->mesh->level_count(r->mesh); l++)
        r->now.updates[l] += steps_of(r, l) * r->mesh->cell_count(r->mesh, l);
}
