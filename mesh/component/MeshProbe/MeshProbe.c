/* SPDX-License-Identifier: BSD-3-Clause */
/* MeshProbe.c: the class MeshProbe passes the components' reports about a mesh's cells to
 * the library mm_mesh, which records them in the experiment.
 *
 * It has two probes. `cost` is the CPU time of a patch, spread evenly over its cells.
 * `work` is the number of iterations at the faces, half of it for each of a face's two
 * cells; for a flux that does not count iterations each face has 1, so that a cell has 2
 * per evaluation. Cells are [y][x]. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "components/ranks.h"
#include "mesh/probe/mm_mesh.h"
#include "ports/probe_port.h"

struct mesh_probe {
    struct probe_port port;
    struct cca_services *services;
    struct mm_mesh *profile;
    int opened;  /* true if an attempt to open the profile was made */
    int stepped; /* true if a step has begun */
    int cost, work;
    int depth;               /* number of nested `begin` calls without `end` */
    int told;                /* true if the innermost patch has reported its faces */
    struct mesh_patch patch; /* the innermost patch that has begun */
    int32_t *room;
    int64_t room_count;
    int64_t *boxes, *boxes_before[MESH_LEVELS]; /* corners lo and hi of each patch of a
                                                 * level */
    int box_count[MESH_LEVELS];
    size_t box_room;
};

/* Open the profile of a mesh, if this is the first call. */
static void profile_open(struct mesh_probe *k, struct mesh_port *mesh)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    const struct mesh_domain *domain = mesh->domain(mesh);
    int ratio = mesh->ratio(mesh, 0);
    const int64_t n[2] = {domain->ny, domain->nx};
    const double origin[2] = {domain->ylo, domain->xlo};
    const double spacing[2] = {(domain->yhi - domain->ylo) / (double)domain->ny,
                               (domain->xhi - domain->xlo) / (double)domain->nx};
    struct cca_error err = {0};

    k->opened = 1;
    k->profile =
        mm_mesh_open(cca_services_param_string(k->services, "profile"), 2, n, &err);
    if (err.code)
        fprintf(stderr, "%s: no mesh profile: %s\n",
                cca_services_instance_name(k->services), err.text);
    if (ratio > 1)
        mm_mesh_levels(k->profile, MESH_LEVELS, ratio);
    mm_mesh_place(k->profile, origin, spacing);
    if (ranks)
        mm_mesh_rank(k->profile, ranks->rank(ranks), ranks->size(ranks));
    k->cost = mm_mesh_probe(k->profile, "cost", "cpu");
    k->work = mm_mesh_probe(k->profile, "work", "given");
}

/* Find this rank's patches of a level, as boxes. Returns 0 or -ENOMEM. */
static int boxes_find(struct mesh_probe *k, struct mesh_port *mesh, int level, int count)
{
    if (cca_array_extend(&k->boxes, &k->box_room, 4 * sizeof *k->boxes, (size_t)count))
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        const struct mesh_patch *patch = mesh->patch(mesh, level, i);
        int64_t *lo = k->boxes + 2 * i, *hi = k->boxes + 2 * (count + i);

        lo[0] = patch->jlo;
        lo[1] = patch->ilo;
        hi[0] = patch->jlo + patch->ny;
        hi[1] = patch->ilo + patch->nx;
    }
    return 0;
}

/* Report the boxes of a level if they have changed. */
static void boxes_tell(struct mesh_probe *k, struct mesh_port *mesh, int level)
{
    int count = level < mesh->level_count(mesh) ? mesh->patch_count(mesh, level) : 0;
    size_t bytes = (size_t)count * 4 * sizeof *k->boxes;
    int64_t *kept;

    if (boxes_find(k, mesh, level, count))
        return;
    if (count == k->box_count[level] && k->boxes_before[level] &&
        memcmp(k->boxes, k->boxes_before[level], bytes) == 0)
        return;
    if (count == 0 && k->box_count[level] == 0)
        return;
    mm_mesh_boxes(k->profile, level, count, k->boxes, k->boxes + 2 * count);
    kept = realloc(k->boxes_before[level], bytes + 1);
    k->box_count[level] = count;
    k->boxes_before[level] = kept;
    if (kept)
        memcpy(kept, k->boxes, bytes);
}

static void probe_step(struct probe_port *self, struct mesh_port *mesh, int64_t step,
                       double time_s)
{
    struct mesh_probe *k = cca_container_of(self, struct mesh_probe, port);

    if (!k->opened)
        profile_open(k, mesh);
    if (!k->profile)
        return;
    /* End the previous step before patches change: a step keeps the patches with which it
     * began. */
    if (k->stepped)
        mm_mesh_step(k->profile, step, time_s);
    for (int level = 0; level < MESH_LEVELS; level++)
        boxes_tell(k, mesh, level);
    if (!k->stepped)
        mm_mesh_step(k->profile, step, time_s);
    k->stepped = 1;
    k->depth = 0;
}

static void probe_begin(struct probe_port *self, const struct mesh_patch *patch)
{
    struct mesh_probe *k = cca_container_of(self, struct mesh_probe, port);

    if (!k->profile)
        return;
    k->patch = *patch;
    k->told = 0;
    if (k->depth++ == 0)
        mm_mesh_start(k->profile, k->cost);
}

/* Find the cells of the innermost patch, as a box. */
static void patch_box(const struct mesh_probe *k, int64_t lo[2], int64_t hi[2])
{
    lo[0] = k->patch.jlo;
    lo[1] = k->patch.ilo;
    hi[0] = lo[0] + k->patch.ny;
    hi[1] = lo[1] + k->patch.nx;
}

static void probe_end(struct probe_port *self)
{
    struct mesh_probe *k = cca_container_of(self, struct mesh_probe, port);
    int64_t lo[2], hi[2];

    if (!k->profile || k->depth == 0)
        return;
    patch_box(k, lo, hi);
    /* faces of both axes belong to one evaluation, which ends at the first `end` after
     * them */
    if (!k->told)
        mm_mesh_block_value(k->profile, k->work, k->patch.level, lo, hi,
                            2. * k->patch.nx * k->patch.ny);
    k->told = 1;
    if (--k->depth == 0)
        mm_mesh_block(k->profile, k->cost, k->patch.level, lo, hi);
}

static void probe_faces(struct probe_port *self, int axis, int nx, int ny,
                        const int32_t *work)
{
    struct mesh_probe *k = cca_container_of(self, struct mesh_probe, port);
    int stride = axis ? nx : 1;

    if (!k->profile || k->depth == 0 || nx != k->patch.nx + !axis ||
        ny != k->patch.ny + axis)
        return;
    k->told = 1;
    for (int j = 0; j < k->patch.ny; j++) {
        int64_t cell =
            mm_mesh_index(k->profile, k->patch.level, k->patch.jlo + j, k->patch.ilo, 0);
        const int32_t *face = work + (ptrdiff_t)j * nx;

        for (int i = 0; i < k->patch.nx; i++, face++)
            mm_mesh_add(k->profile, k->work, cell + i,
                        .5 * ((double)face[0] + (double)face[stride]));
    }
}

static int32_t *probe_room(struct probe_port *self, int64_t count)
{
    struct mesh_probe *k = cca_container_of(self, struct mesh_probe, port);

    if (!k->profile || k->depth == 0)
        return NULL;
    if (count > k->room_count) {
        free(k->room);
        k->room = malloc((size_t)count * sizeof *k->room);
        k->room_count = k->room ? count : 0;
    }
    return k->room;
}

static const struct probe_port port = {.base = {PROBE_PORT_TYPE, sizeof port},
                                       .step = probe_step,
                                       .begin = probe_begin,
                                       .end = probe_end,
                                       .faces = probe_faces,
                                       .room = probe_room};

static void probe_destroy(void *self)
{
    struct mesh_probe *k = self;

    mm_mesh_close(k->profile);
    for (int level = 0; level < MESH_LEVELS; level++)
        free(k->boxes_before[level]);
    free(k->boxes);
    free(k->room);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct mesh_probe, services),
    .name = "MeshProbe",
    .summary = "records the costs of the cells of a mesh (--cells)",
    .serves = PROBE_PORT_TYPE,
    .flags = CCA_SERVES_ASKED,
    CCA_IMPLEMENTS({"probe", offsetof(struct mesh_probe, port), &port.base}),
    CCA_USES(RANKS_USES),
    CCA_PARAMS({"cells", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "probes, as work,cost or all; --cells of the run replaces it", NULL},
               {"profile", CCA_STRING, "mesh", NULL, NULL, NULL, NULL,
                "name of the profile in the experiment", NULL}),
    .destroy = probe_destroy,
};
