/* SPDX-License-Identifier: BSD-3-Clause */
/* decode.c: decode the values of a block along its chain.
 *
 * A block may contain differences to the previous block in time, which may do so, too; a
 * chain has at most MM_MESH_CHAIN blocks. A caller that reads steps in order needs to
 * decode one block of the chain, since the last decoded values of each brick are kept.
 * For a few cells of a brick, only these cells are decoded in each block of the chain. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/trace/bricks.h"
#include "mesh/trace/profile_core.h"

enum {
    PLACES = 4096, /* number of bricks that are kept: at most 64 MiB */
    FEW = 16 /* up to 1/16 of a brick's cells are decoded without the rest of the brick */
};

struct place {
    uint64_t offset; /* offset of the block in the file; 0: the entry is empty */
    float *values;   /* decoded values of the brick, [MESH_BRICK_CELLS], or NULL */
};

struct mesh_kept {
    struct place places[PLACES];
};

/* The blocks needed to decode a block: from blocks[0], the newest, to blocks[length - 1],
 * which needs no other block, or only the block whose values are in `start`. */
struct chain {
    struct mesh_block blocks[MM_MESH_CHAIN];
    int length;
    const struct place *start;
};

void mesh_kept_free(struct mesh_kept *kept)
{
    for (int i = 0; kept && i < PLACES; i++)
        free(kept->places[i].values);
    free(kept);
}

static int64_t cells_of(const int64_t lo[3], const int64_t hi[3])
{
    return (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
}

/* Return the slot for a brick's kept values; it may hold another brick. NULL: the brick
 * is too large, or no memory. */
static struct place *place_of(struct mesh_profile *p, const struct mm_mesh_frame *frame)
{
    uint64_t words[8] = {frame->probe, frame->level};
    uint64_t hash;

    if (cells_of(frame->lo, frame->hi) > MESH_BRICK_CELLS)
        return NULL;
    if (!p->kept && !(p->kept = calloc(1, sizeof *p->kept)))
        return NULL;
    memcpy(words + 2, frame->lo, sizeof frame->lo);
    memcpy(words + 5, frame->hi, sizeof frame->hi);
    hash = mm_block_check(words, sizeof words, MM_CHECK_START);
    return &p->kept->places[(hash ^ hash >> 32) % PLACES];
}

static int same_brick(const struct mm_mesh_frame *a, const struct mm_mesh_frame *b)
{
    return a->probe == b->probe && a->level == b->level &&
           memcmp(a->lo, b->lo, sizeof a->lo) == 0 &&
           memcmp(a->hi, b->hi, sizeof a->hi) == 0;
}

static int find_chain(const struct mesh_profile *p, const struct mesh_block *block,
                      const struct place *kept, struct chain *chain,
                      struct cca_error *err)
{
    int rc;

    chain->length = 1;
    chain->blocks[0] = *block;
    chain->start = NULL;
    while (chain->blocks[chain->length - 1].frame.previous) {
        const struct mesh_block *last = &chain->blocks[chain->length - 1];
        struct mesh_block *next = &chain->blocks[chain->length];

        if (kept && kept->offset == last->frame.previous) {
            chain->start = kept;
            return 0;
        }
        if (chain->length == MM_MESH_CHAIN || last->frame.previous >= last->offset)
            break;
        rc = mesh_profile_head(p, last->frame.previous, next, err);
        if (rc)
            return rc;
        if (!same_brick(&next->frame, &block->frame))
            break;
        chain->length++;
    }
    if (!chain->blocks[chain->length - 1].frame.previous)
        return 0;
    return cca_error_set(err, -EBADMSG,
                         "%s: at byte %" PRIu64 ": found a block whose one before is not "
                         "there",
                         p->path, chain->blocks[chain->length - 1].offset);
}

/* Decode the cells lo <= c < hi, which are within the block, along the chain. If the
 * chain has a `start`, `values` must hold a copy of its values. */
static int decode_chain(struct mesh_profile *p, const struct chain *chain,
                        const int64_t lo[3], const int64_t hi[3], float *values,
                        struct cca_error *err)
{
    const struct mm_mesh_frame *brick = &chain->blocks[0].frame;
    int whole = cells_of(lo, hi) == cells_of(brick->lo, brick->hi), rc = 0;
    int64_t n[3], from[3], to[3];

    for (int d = 0; d < 3; d++) {
        n[d] = brick->hi[d] - brick->lo[d];
        from[d] = lo[d] - brick->lo[d];
        to[d] = hi[d] - brick->lo[d];
    }
    for (int i = chain->length - 1; !rc && i >= 0; i--) {
        const struct mesh_block *block = &chain->blocks[i];
        const float *before = block->frame.previous ? values : NULL;
        struct cca_error why = {0};
        void *bytes;

        rc = mesh_profile_payload(p, block, &bytes, err);
        if (rc)
            break;
        rc = whole ? mesh_unpack(bytes, block->frame.bytes, n, before, values, &why)
                   : mesh_unpack_box(bytes, block->frame.bytes, n, from, to, before,
                                     values, &why);
        p->decoded += block->frame.bytes;
        if (rc)
            cca_error_set(err, rc, "%s: at byte %" PRIu64 ": %s", p->path, block->offset,
                          why.text);
    }
    return rc;
}

/* Decode a whole block into its brick's slot. */
static int decode_kept(struct mesh_profile *p, const struct chain *chain,
                       struct place *place, struct cca_error *err)
{
    const struct mesh_block *block = &chain->blocks[0];
    int rc;

    if (!place->values &&
        !(place->values = malloc(MESH_BRICK_CELLS * sizeof *place->values)))
        return cca_no_memory(err);
    place->offset = 0;
    rc = decode_chain(p, chain, block->frame.lo, block->frame.hi, place->values, err);
    if (!rc)
        place->offset = block->offset;
    return rc;
}

/* Copy the requested cells out of a decoded brick. */
static void gather(const struct mm_mesh_frame *brick, const float *from,
                   const struct mesh_part *part, float *values)
{
    int64_t n1 = brick->hi[1] - brick->lo[1], n2 = brick->hi[2] - brick->lo[2];
    size_t row = (size_t)(part->hi[2] - part->lo[2]);

    for (int64_t i = part->lo[0]; i < part->hi[0]; i++)
        for (int64_t j = part->lo[1]; j < part->hi[1]; j++, values += row)
            memcpy(values,
                   from + ((i - brick->lo[0]) * n1 + j - brick->lo[1]) * n2 +
                       part->lo[2] - brick->lo[2],
                   row * sizeof *values);
}

/* Decode the requested cells only, into the profile's scratch buffer. */
static int decode_part(struct mesh_profile *p, const struct chain *chain,
                       struct mesh_part *part, struct cca_error *err)
{
    if (!p->part && !(p->part = malloc(MESH_BLOCK_CELLS * sizeof *p->part)))
        return cca_no_memory(err);
    if (chain->start)
        gather(&chain->blocks[0].frame, chain->start->values, part, p->part);
    part->values = p->part;
    return decode_chain(p, chain, part->lo, part->hi, p->part, err);
}

int mesh_profile_part(struct mesh_profile *p, const struct mesh_block *block,
                      const int64_t lo[3], const int64_t hi[3], struct mesh_part *part,
                      struct cca_error *err)
{
    const struct mm_mesh_frame *frame = &block->frame;
    struct place *place = place_of(p, frame);
    int few = cells_of(lo, hi) * FEW <= cells_of(frame->lo, frame->hi), rc = 0;
    struct chain chain;

    memcpy(part->lo, few || !place ? lo : frame->lo, sizeof part->lo);
    memcpy(part->hi, few || !place ? hi : frame->hi, sizeof part->hi);
    if (place && place->offset == block->offset) {
        memcpy(part->lo, frame->lo, sizeof part->lo);
        memcpy(part->hi, frame->hi, sizeof part->hi);
        part->values = place->values;
        return 0;
    }
    rc = find_chain(p, block, place, &chain, err);
    if (rc)
        return rc;
    if (few || !place)
        return decode_part(p, &chain, part, err);
    rc = decode_kept(p, &chain, place, err);
    part->values = place->values;
    return rc;
}
