/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: the probes of mrtd. A cell is visited twice in a step, for H and for E. */
#include "examples/mrtd/profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "examples/mrtd/boxes.h"
#include "examples/mrtd/comm.h"
#include "mesh/probe/mm_mesh.h"

struct mrtd_profile {
    struct mm_mesh *mesh;
    int work, cost;
};

struct mrtd_profile *mrtd_profile_open(const struct mrtd_options *o)
{
    struct cca_error err = {0};
    double origin[3] = {0}, spacing[3] = {o->cell_m, o->cell_m, o->cell_m};
    struct mm_mesh *mesh =
        mm_mesh_open(o->profile, 3, (const int64_t[]){o->n[0], o->n[1], o->n[2]}, &err);
    struct mrtd_profile *p = mesh ? calloc(1, sizeof *p) : NULL;

    if (err.code)
        fprintf(stderr, "mrtd: %s\n", err.text);
    if (!p) {
        mm_mesh_close(mesh);
        return NULL;
    }
    p->mesh = mesh;
    p->cost = mm_mesh_probe(mesh, "cost", "time");
    p->work = mm_mesh_probe(mesh, "work", "given");
    mm_mesh_place(mesh, origin, spacing);
    mm_mesh_rank(mesh, mrtd_comm_rank(), mrtd_comm_ranks());
    return p;
}

void mrtd_profile_close(struct mrtd_profile *profile)
{
    if (!profile)
        return;
    mm_mesh_close(profile->mesh);
    free(profile);
}

void mrtd_profile_parts(struct mrtd_profile *profile, const struct mrtd_parts *parts)
{
    struct mrtd_boxes boxes;

    if (!profile)
        return;
    if (mrtd_boxes_make(&boxes, parts))
        mrtd_comm_abort("out of memory");
    mm_mesh_boxes(profile->mesh, 0, boxes.count, boxes.lo, boxes.hi);
    mrtd_boxes_done(&boxes);
}

void mrtd_profile_step(struct mrtd_profile *profile, int32_t step, double time_s)
{
    if (profile)
        mm_mesh_step(profile->mesh, step, time_s);
}

void mrtd_profile_update(struct mrtd_profile *profile, struct mrtd_field *field,
                         const struct mrtd_parts *parts, int which)
{
    struct mm_mesh *mesh = profile ? profile->mesh : NULL;

    if (!mesh) {
        for (int32_t s = 0; s < parts->own; s++)
            mrtd_field_update(field, parts, which, s);
        return;
    }
    mm_mesh_start(mesh, profile->cost);
    for (int32_t s = 0; s < parts->own; s++) {
        mrtd_field_update(field, parts, which, s);
        if (which == MRTD_E)
            mm_mesh_value(mesh, profile->work, parts->cell[s], field->work[s]);
        mm_mesh_cell(mesh, profile->cost, parts->cell[s]);
    }
}
