/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c: read the values of a box from the blocks that intersect it. */
#include <math.h>
#include <string.h>

#include "mesh/trace/profile_core.h"
#include "mesh/trace/words.h"

static int meets(const struct mm_mesh_frame *frame, const int64_t lo[3],
                 const int64_t hi[3])
{
    for (int d = 0; d < 3; d++)
        if (frame->lo[d] >= hi[d] || frame->hi[d] <= lo[d])
            return 0;
    return 1;
}

/* Copy the cells a <= c < b of a decoded part to their places in the requested box. */
static void copy_part(const struct mesh_part *part, const int64_t a[3],
                      const int64_t b[3], const int64_t lo[3], const int64_t hi[3],
                      float *values)
{
    int64_t m1 = part->hi[1] - part->lo[1], m2 = part->hi[2] - part->lo[2];
    size_t row = (size_t)(b[2] - a[2]) * sizeof *values;

    for (int64_t i = a[0]; i < b[0]; i++)
        for (int64_t j = a[1]; j < b[1]; j++)
            memcpy(values +
                       ((i - lo[0]) * (hi[1] - lo[1]) + j - lo[1]) * (hi[2] - lo[2]) +
                       a[2] - lo[2],
                   part->values + ((i - part->lo[0]) * m1 + j - part->lo[1]) * m2 + a[2] -
                       part->lo[2],
                   row);
}

static void set_owner(int32_t rank, const int64_t a[3], const int64_t b[3],
                      const int64_t lo[3], const int64_t hi[3], int32_t *owner)
{
    for (int64_t i = a[0]; i < b[0]; i++)
        for (int64_t j = a[1]; j < b[1]; j++)
            for (int64_t k = a[2]; k < b[2]; k++)
                owner[((i - lo[0]) * (hi[1] - lo[1]) + j - lo[1]) * (hi[2] - lo[2]) + k -
                      lo[2]] = rank;
}

/* Fill in the values in the intersection of box and block. Returns its number of cells,
 * or an error. */
static int64_t take_common(struct mesh_profile *p, const struct mesh_block *block,
                           const int64_t lo[3], const int64_t hi[3], float *values,
                           int32_t *owner, struct cca_error *err)
{
    const struct mm_mesh_frame *frame = &block->frame;
    struct mesh_part part;
    int64_t a[3], b[3];
    int rc;

    for (int d = 0; d < 3; d++) {
        a[d] = frame->lo[d] > lo[d] ? frame->lo[d] : lo[d];
        b[d] = frame->hi[d] < hi[d] ? frame->hi[d] : hi[d];
    }
    rc = mesh_profile_part(p, block, a, b, &part, err);
    if (rc)
        return rc;
    copy_part(&part, a, b, lo, hi, values);
    if (owner)
        set_owner(frame->rank, a, b, lo, hi, owner);
    return (b[0] - a[0]) * (b[1] - a[1]) * (b[2] - a[2]);
}

int64_t mesh_profile_values(struct mesh_profile *p, size_t i, int probe, int level,
                            const int64_t lo[3], const int64_t hi[3], float *values,
                            int32_t *owner, struct cca_error *err)
{
    const struct mesh_step *step = &p->steps[i];
    int64_t n[3], missing = 1;
    int64_t taken = 0;

    if (i >= p->step_count || probe < 0 || (size_t)probe >= p->probe_count || level < 0 ||
        level >= p->about.levels)
        return cca_error_set(err, -EINVAL, "found no such step, probe or level");
    mesh_level_size(&p->about, level, n);
    for (int d = 0; d < 3; d++) {
        if (lo[d] < 0 || hi[d] <= lo[d] || hi[d] > n[d])
            return cca_error_set(err, -EINVAL, "found cells outside the mesh");
        missing *= hi[d] - lo[d];
    }
    for (int64_t c = 0; c < missing; c++) {
        values[c] = NAN;
        if (owner)
            owner[c] = -1;
    }
    for (size_t b = step->first_block; taken >= 0 && b < step->first_block + step->blocks;
         b++) {
        const struct mm_mesh_frame *frame = &p->blocks[b].frame;

        if (frame->probe != probe || frame->level != level || !meets(frame, lo, hi))
            continue;
        taken = take_common(p, &p->blocks[b], lo, hi, values, owner, err);
        missing -= taken;
    }
    /* overlapping boxes, which no writer makes, count cells twice */
    return taken < 0 ? taken : missing < 0 ? 0 : missing;
}
