/* SPDX-License-Identifier: BSD-3-Clause */
/* patches.c: patches of all levels, and the cells of level 0 under them. */
#include "mesh/component/Balancer/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The cells of level 0 under a patch: [jlo, jhi) x [ilo, ihi). */
struct shadow {
    int64_t ilo, ihi, jlo, jhi;
};

/* Return the number of cells of the patch's level along an edge of a cell of level 0. */
static int64_t factor_of(const struct balance_mesh *mesh,
                         const struct balance_patch *patch)
{
    int64_t factor = 1;

    for (int l = 0; l < patch->level; l++)
        factor *= mesh->ratio;
    return factor;
}

static struct shadow shadow_of(const struct balance_mesh *mesh,
                               const struct balance_patch *patch)
{
    int64_t factor = factor_of(mesh, patch);

    return (struct shadow){patch->ilo / factor, (patch->ilo + patch->nx - 1) / factor + 1,
                           patch->jlo / factor,
                           (patch->jlo + patch->ny - 1) / factor + 1};
}

int patches_follow(const struct balance_mesh *mesh, const int32_t *owners,
                   const struct balance_patch *patches, int count, int *chosen)
{
    int64_t *counts = malloc((size_t)mesh->ranks * sizeof *counts);
    int changed = 0;

    if (!counts)
        return -ENOMEM;
    for (int p = 0; p < count; p++) {
        struct shadow s = shadow_of(mesh, &patches[p]);
        int most = 0;

        memset(counts, 0, (size_t)mesh->ranks * sizeof *counts);
        for (int64_t j = s.jlo; j < s.jhi; j++)
            for (int64_t i = s.ilo; i < s.ihi; i++)
                counts[owners[j * mesh->nx + i]]++;
        for (int r = 1; r < mesh->ranks; r++)
            if (counts[r] > counts[most])
                most = r;
        changed |= most != chosen[p];
        chosen[p] = most;
    }
    free(counts);
    return changed;
}

void patches_spread(const struct balance_mesh *mesh, const struct balance_patch *patches,
                    int count, const int64_t *weights, float *cells)
{
    memset(cells, 0, (size_t)(mesh->nx * mesh->ny) * sizeof *cells);
    for (int p = 0; p < count; p++) {
        struct shadow s = shadow_of(mesh, &patches[p]);
        double each = (double)weights[p] / (double)((s.ihi - s.ilo) * (s.jhi - s.jlo));

        for (int64_t j = s.jlo; j < s.jhi; j++)
            for (int64_t i = s.ilo; i < s.ihi; i++)
                cells[j * mesh->nx + i] += (float)each;
    }
}

int64_t patch_updates(const struct balance_mesh *mesh, const struct balance_patch *patch)
{
    return patch->nx * patch->ny * factor_of(mesh, patch);
}
