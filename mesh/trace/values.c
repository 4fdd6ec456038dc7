/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c: values of a box of cells out of the blocks that it meets. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
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

static int by_offset(const void *key, const void *element)
{
    const uint64_t *offset = key;
    const struct mesh_block *block = element;

    return *offset < block->offset ? -1 : *offset > block->offset;
}

/* The block at an offset: of a whole step, or of one that never ended. Blocks of a step
 * are sorted by offset; those of two steps may interleave, so each step is searched. */
static const struct mesh_block *block_at(const struct mesh_profile *p, uint64_t offset)
{
    const struct mesh_block *found = NULL;

    for (size_t s = p->step_count; s-- > 0 && !found;) {
        const struct mesh_step *step = &p->steps[s];

        if (step->blocks && p->blocks[step->first_block].offset <= offset)
            found = bsearch(&offset, p->blocks + step->first_block, step->blocks,
                            sizeof *p->blocks, by_offset);
    }
    return found;
}

/* The blocks that decode `block`, the newest first, into chain[]. Their number, or
 * -EBADMSG. */
static int chain_of(const struct mesh_profile *p, const struct mesh_block *block,
                    const struct mesh_block *chain[MM_MESH_CHAIN], struct cca_error *err)
{
    int length = 0;

    for (chain[length++] = block; block->frame.previous; chain[length++] = block) {
        const struct mesh_block *before = block_at(p, block->frame.previous);

        if (!before || length == MM_MESH_CHAIN ||
            memcmp(before->frame.lo, block->frame.lo, sizeof block->frame.lo) != 0 ||
            memcmp(before->frame.hi, block->frame.hi, sizeof block->frame.hi) != 0)
            return cca_error_set(err, -EBADMSG,
                                 "%s: at byte %" PRIu64
                                 ": found a block whose one before is not there",
                                 p->path, block->offset);
        block = before;
    }
    return length;
}

/* Decode a block into values, which has room for its cells. */
static int decode(struct mesh_profile *p, const struct mesh_block *block, float *values,
                  struct cca_error *err)
{
    const struct mesh_block *chain[MM_MESH_CHAIN];
    int length = chain_of(p, block, chain, err), rc = 0;
    int64_t n[3];

    for (int d = 0; d < 3; d++)
        n[d] = block->frame.hi[d] - block->frame.lo[d];
    for (int i = length; !rc && i-- > 0;) {
        struct cca_error why = {0};
        void *payload;

        rc = mesh_profile_payload(p, chain[i], &payload, err);
        if (!rc) {
            rc = mesh_unpack(payload, chain[i]->frame.bytes, n,
                             i + 1 < length ? values : NULL, values, &why);
            p->decoded += chain[i]->frame.bytes;
        }
        if (rc && why.code)
            cca_error_set(err, rc, "%s: at byte %" PRIu64 ": %s", p->path,
                          chain[i]->offset, why.text);
    }
    return length < 0 ? length : rc;
}

/* Copy what box and block have in common. Returns how many cells. */
static int64_t copy_common(const struct mm_mesh_frame *frame, const float *from,
                           const int64_t lo[3], const int64_t hi[3], float *values,
                           int32_t *owner)
{
    int64_t a[3], b[3], copied = 0;

    for (int d = 0; d < 3; d++) {
        a[d] = frame->lo[d] > lo[d] ? frame->lo[d] : lo[d];
        b[d] = frame->hi[d] < hi[d] ? frame->hi[d] : hi[d];
    }
    for (int64_t i = a[0]; i < b[0]; i++)
        for (int64_t j = a[1]; j < b[1]; j++) {
            int64_t row = b[2] - a[2];
            int64_t to = ((i - lo[0]) * (hi[1] - lo[1]) + j - lo[1]) * (hi[2] - lo[2]) +
                         a[2] - lo[2];
            int64_t at =
                ((i - frame->lo[0]) * (frame->hi[1] - frame->lo[1]) + j - frame->lo[1]) *
                    (frame->hi[2] - frame->lo[2]) +
                a[2] - frame->lo[2];

            memcpy(values + to, from + at, (size_t)row * sizeof *values);
            for (int64_t k = 0; owner && k < row; k++)
                owner[to + k] = frame->rank;
            copied += row;
        }
    return copied;
}

int64_t mesh_profile_values(struct mesh_profile *p, size_t i, int probe, int level,
                            const int64_t lo[3], const int64_t hi[3], float *values,
                            int32_t *owner, struct cca_error *err)
{
    const struct mesh_step *step = &p->steps[i];
    int64_t n[3], missing = 1;
    float *scratch;
    int rc = 0;

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
    scratch = malloc(MESH_BLOCK_CELLS * sizeof *scratch);
    if (!scratch)
        return cca_no_memory(err);
    for (size_t b = step->first_block; !rc && b < step->first_block + step->blocks; b++) {
        const struct mm_mesh_frame *frame = &p->blocks[b].frame;

        if (frame->probe != probe || frame->level != level || !meets(frame, lo, hi))
            continue;
        rc = decode(p, &p->blocks[b], scratch, err);
        if (!rc)
            missing -= copy_common(frame, scratch, lo, hi, values, owner);
    }
    free(scratch);
    return rc ? rc : missing;
}
