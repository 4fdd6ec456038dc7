/* SPDX-License-Identifier: BSD-3-Clause */
/* bricks.c: cut boxes into bricks at multiples of a side, and pack each brick. */
#include "mesh/trace/bricks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/pack/pack.h"

/* The last decoded values of a brick. */
struct memory {
    struct memory *next;
    int rank, probe, level;
    int64_t lo[3], hi[3];
    int chain; /* number of frames needed to decode the brick; 0: no difference to it may
                  be stored */
    float *values;
};

enum { BUCKETS = 1 << 12 };

struct mesh_bricks {
    int64_t side[3];
    struct memory *buckets[BUCKETS];
    float given[MESH_BRICK_CELLS], decoded[MESH_BRICK_CELLS];
    unsigned char bytes[MESH_BRICK_CELLS * sizeof(float) + 64];
};

struct mesh_bricks *mesh_bricks_new(int dims)
{
    struct mesh_bricks *bricks = calloc(1, sizeof *bricks);

    for (int d = 0; bricks && d < 3; d++)
        bricks->side[d] = d >= dims   ? 1
                          : dims == 1 ? MESH_BRICK_CELLS
                          : dims == 2 ? 64
                                      : 16;
    return bricks;
}

void mesh_bricks_free(struct mesh_bricks *bricks)
{
    struct memory *m, *next;

    if (!bricks)
        return;
    for (int b = 0; b < BUCKETS; b++)
        for (m = bricks->buckets[b]; m; m = next) {
            next = m->next;
            free(m->values);
            free(m);
        }
    free(bricks);
}

const float *mesh_bricks_decoded(const struct mesh_bricks *bricks)
{
    return bricks->decoded;
}

static size_t bucket_of(const struct mesh_box *box)
{
    uint64_t h = (uint64_t)box->rank * 31 + (uint64_t)box->probe;

    h = h * 31 + (uint64_t)box->level;
    for (int d = 0; d < 3; d++)
        h = (h * 1000003 + (uint64_t)box->lo[d]) * 1000003 + (uint64_t)box->hi[d];
    return (size_t)((h ^ h >> 29) * 0x9e3779b97f4a7c15ull >> 52);
}

static struct memory *memory_of(struct mesh_bricks *bricks, const struct mesh_box *box,
                                size_t cells)
{
    struct memory **bucket = &bricks->buckets[bucket_of(box)], *m;

    for (m = *bucket; m; m = m->next)
        if (m->rank == box->rank && m->probe == box->probe && m->level == box->level &&
            memcmp(m->lo, box->lo, sizeof m->lo) == 0 &&
            memcmp(m->hi, box->hi, sizeof m->hi) == 0)
            return m;
    m = calloc(1, sizeof *m);
    if (!m || !(m->values = malloc(cells * sizeof *m->values))) {
        free(m);
        return NULL;
    }
    m->rank = box->rank;
    m->probe = box->probe;
    m->level = box->level;
    memcpy(m->lo, box->lo, sizeof m->lo);
    memcpy(m->hi, box->hi, sizeof m->hi);
    m->next = *bucket;
    *bucket = m;
    return m;
}

/* Copy a brick's values out of the box. */
static void gather(const struct mesh_box *box, const float *values,
                   const struct mesh_box *brick, float *out)
{
    int64_t n1 = box->hi[1] - box->lo[1], n2 = box->hi[2] - box->lo[2];
    size_t row = (size_t)(brick->hi[2] - brick->lo[2]);

    for (int64_t i = brick->lo[0]; i < brick->hi[0]; i++)
        for (int64_t j = brick->lo[1]; j < brick->hi[1]; j++) {
            int64_t at =
                ((i - box->lo[0]) * n1 + j - box->lo[1]) * n2 + brick->lo[2] - box->lo[2];

            memcpy(out, values + at, row * sizeof *out);
            out += row;
        }
}

static void about_values(struct mm_mesh_frame *frame, const float *values, size_t cells)
{
    frame->least = frame->greatest = NAN;
    for (size_t c = 0; c < cells; c++)
        if (isfinite(values[c])) {
            frame->sum += (double)values[c];
            frame->least = fminf(frame->least, values[c]);
            frame->greatest = fmaxf(frame->greatest, values[c]);
        }
}

static int pack_brick(struct mesh_bricks *bricks, const struct mesh_box *brick,
                      double eps, mesh_brick_fn *out, void *context,
                      struct cca_error *err)
{
    int64_t n[3] = {brick->hi[0] - brick->lo[0], brick->hi[1] - brick->lo[1],
                    brick->hi[2] - brick->lo[2]};
    size_t cells = (size_t)(n[0] * n[1] * n[2]);
    struct mesh_pack_wish wish = {MESH_PACK_AUTO, eps};
    struct memory *m = memory_of(bricks, brick, cells);
    struct mm_mesh_frame frame = {.mark = MM_MESH_FRAME_MARK,
                                  .type = MM_MESH_BLOCK,
                                  .level = (uint16_t)brick->level,
                                  .rank = brick->rank,
                                  .step = brick->step,
                                  .probe = (uint16_t)brick->probe};
    struct mesh_pack_error error;
    int64_t bytes;
    int chained, builds;

    if (!m)
        return cca_no_memory(err);
    builds = m->chain > 0 && m->chain < MM_MESH_CHAIN;
    bytes = mesh_pack(bricks->given, n, builds ? m->values : NULL, &wish, bricks->bytes,
                      bricks->decoded, &chained, &error);
    if (bytes < 0)
        return cca_error_set(err, (int)bytes, "a block cannot be packed: %s",
                             strerror((int)-bytes));
    memcpy(frame.lo, brick->lo, sizeof frame.lo);
    memcpy(frame.hi, brick->hi, sizeof frame.hi);
    frame.bytes = (uint32_t)bytes;
    frame.previous = chained ? 1 : 0;
    frame.largest = (float)error.largest;
    /* the conversion of the largest error to float may have rounded it up, beyond eps */
    if ((double)frame.largest > eps)
        frame.largest = nextafterf(frame.largest, 0);
    frame.rms = (float)error.rms;
    frame.sum_error = (float)error.sum;
    about_values(&frame, bricks->given, cells);
    m->chain = chained ? m->chain + 1 : 1;
    memcpy(m->values, bricks->decoded, cells * sizeof *m->values);
    return out(context, &frame, bricks->bytes, err);
}

/* Return the end of the brick that begins at coordinate `at`, for bricks of side `side`.
 */
static int64_t brick_end(int64_t at, int64_t side, int64_t hi)
{
    int64_t end = (at / side + 1) * side;

    return end < hi ? end : hi;
}

int mesh_bricks_pack(struct mesh_bricks *bricks, const struct mesh_box *box, double eps,
                     const float *values, mesh_brick_fn *out, void *context,
                     struct cca_error *err)
{
    struct mesh_box brick = *box;
    int rc = 0, d = 0;

    for (; d < 3; d++)
        brick.hi[d] = brick_end(box->lo[d], bricks->side[d], box->hi[d]);
    while (rc == 0 && d > 0) {
        gather(box, values, &brick, bricks->given);
        rc = pack_brick(bricks, &brick, eps, out, context, err);
        for (d = 3; d > 0; d--) { /* next brick, dimension 2 fastest */
            brick.lo[d - 1] = brick.hi[d - 1];
            if (brick.lo[d - 1] == box->hi[d - 1])
                brick.lo[d - 1] = box->lo[d - 1];
            brick.hi[d - 1] =
                brick_end(brick.lo[d - 1], bricks->side[d - 1], box->hi[d - 1]);
            if (brick.lo[d - 1] > box->lo[d - 1])
                break;
        }
    }
    return rc;
}
