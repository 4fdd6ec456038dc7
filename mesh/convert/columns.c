/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.c: sum values of finer levels into the cells of level 0. */
#include "mesh/convert/columns.h"

#include <inttypes.h>
#include <stdlib.h>

void mesh_columns_add(const struct mm_mesh_about *about, const struct mm_mesh_frame *f,
                      const float *from, float *values)
{
    int64_t scale[3] = {1, 1, 1};

    for (int d = 0; d < about->dims; d++)
        for (int l = 0; l < f->level; l++)
            scale[d] *= about->ratio;
    for (int64_t i = f->lo[0]; i < f->hi[0]; i++)
        for (int64_t j = f->lo[1]; j < f->hi[1]; j++)
            for (int64_t k = f->lo[2]; k < f->hi[2]; k++)
                values[(i / scale[0] * about->n[1] + j / scale[1]) * about->n[2] +
                       k / scale[2]] += *from++;
}

int64_t mesh_columns_values(struct mesh_profile *p, size_t i, int probe, float *values,
                            int32_t *owner, struct cca_error *err)
{
    static const int64_t zero[3] = {0};
    const struct mm_mesh_about *about = mesh_profile_about(p);
    const struct mesh_step *step = mesh_profile_step(p, i);
    int64_t missing =
        mesh_profile_values(p, i, probe, 0, zero, about->n, values, owner, err);

    for (size_t b = step->first_block;
         missing >= 0 && b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *f = mesh_profile_block(p, b);
        int64_t cells = 1, told;
        float *fine;

        if (f->level == 0 || f->probe != probe)
            continue;
        for (int d = 0; d < 3; d++)
            cells *= f->hi[d] - f->lo[d];
        fine = malloc((size_t)cells * sizeof *fine);
        if (!fine)
            return cca_no_memory(err);
        told = mesh_profile_values(p, i, probe, f->level, f->lo, f->hi, fine, NULL, err);
        if (told < 0)
            missing = told;
        else
            mesh_columns_add(about, f, fine, values);
        free(fine);
    }
    return missing;
}

int mesh_columns_ranks(const struct mesh_profile *p, struct cca_error *err)
{
    size_t steps = mesh_profile_steps(p);
    int most = 0;

    for (size_t i = 0; i < steps; i++) {
        const struct mesh_step *step = mesh_profile_step(p, i);

        for (size_t b = step->first_block; b < step->first_block + step->blocks; b++) {
            const struct mm_mesh_frame *f = mesh_profile_block(p, b);

            most = f->rank > most ? f->rank : most;
        }
    }
    if (most >= MESH_COLUMNS_RANKS)
        return cca_error_set(err, -EBADMSG, "%s: found rank %d, expected less than %d",
                             mesh_profile_path(p), most, MESH_COLUMNS_RANKS);
    return most + 1;
}

const char *mesh_columns_cell(const struct mm_mesh_about *about, int level, int64_t cell,
                              char text[64])
{
    int64_t n[3], at[3];
    size_t used = 0;

    for (int d = 0; d < 3; d++) {
        n[d] = about->n[d];
        for (int l = 0; l < level && d < about->dims; l++)
            n[d] *= about->ratio;
    }
    at[0] = cell / (n[1] * n[2]);
    at[1] = cell / n[2] % n[1];
    at[2] = cell % n[2];
    for (int d = 0; d < (about->kind == MM_MESH_GRID ? about->dims : 1); d++)
        used +=
            (size_t)snprintf(text + used, 64 - used, "%s%" PRId64, d ? "," : "", at[d]);
    return text;
}
