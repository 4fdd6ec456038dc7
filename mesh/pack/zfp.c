/* SPDX-License-Identifier: BSD-3-Clause */
/* zfp.c: pack by zfp (Lindstrom, Fixed-Rate Compressed Floating-Point Arrays, TVCG 2014),
 * block by block. Each block begins at a byte boundary after its length: it can be read
 * without the others, and damaged bytes never lead zfp out of the buffer to which they
 * were copied. */
#include "mesh/pack/parts.h"

#ifndef MESH_ZFP

int mesh_zfp_here(void)
{
    return 0;
}

void mesh_zfp_put(struct mesh_job *job, struct mesh_bytes *bytes)
{
    (void)job;
    bytes->size = bytes->limit + 1;
}

int mesh_zfp_get(const unsigned char **at, const unsigned char *end,
                 const struct mesh_shape *shape, const int64_t lo[3], const int64_t hi[3],
                 const float *previous, float *values)
{
    (void)at, (void)end, (void)shape, (void)lo, (void)hi, (void)previous, (void)values;
    return -ENOTSUP;
}

#else

#include <math.h>
#include <zfp.h>

enum {
    SIDE = 4,
    HEAD = 6,
    /* A block of 64 floats takes at most 33 * 64 + 9 bits (its planes, their group tests,
     * the exponent). */
    MOST_BYTES = 272,
    WORDS = 64
};

struct coder {
    zfp_stream *zfp;
    bitstream *bits;
    struct mesh_shape shape;
    uint64_t words[WORDS];
};

static int coder_begin(struct coder *c, const struct mesh_shape *shape, int exponent)
{
    c->shape = *shape;
    c->bits = stream_open(c->words, sizeof c->words);
    c->zfp = zfp_stream_open(c->bits);
    if (!c->bits || !c->zfp)
        return -ENOMEM;
    zfp_stream_set_accuracy(c->zfp, ldexp(1, exponent));
    return 0;
}

static void coder_end(struct coder *c)
{
    if (c->zfp)
        zfp_stream_close(c->zfp);
    if (c->bits)
        stream_close(c->bits);
}

/* Compute the number of cells in each dimension of zfp's block at `at`. */
static void block_sides(const struct mesh_shape *shape, const int64_t at[3], size_t n[3])
{
    for (int d = 0; d < 3; d++)
        n[d] = (size_t)(shape->n[d] - at[d] < SIDE ? shape->n[d] - at[d] : SIDE);
}

/* Advance to the next block of zfp. Returns 0 after the last block. */
static int next_block(const struct mesh_shape *shape, int64_t at[3])
{
    for (int d = 2; d >= 0; d--) {
        at[d] += SIDE;
        if (at[d] < shape->n[d])
            return 1;
        at[d] = 0;
    }
    return 0;
}

/* Pack the block at `at` into c->words. Returns its number of bytes. */
static size_t encode_block(struct coder *c, const float *stored, const int64_t at[3])
{
    const int64_t *n = c->shape.n;
    const float *p = stored + (at[0] * n[1] + at[1]) * n[2] + at[2];
    size_t m[3];

    block_sides(&c->shape, at, m);
    stream_rewind(c->bits);
    if (c->shape.dims == 3)
        zfp_encode_partial_block_strided_float_3(c->zfp, p, m[2], m[1], m[0], 1, n[2],
                                                 n[1] * n[2]);
    else if (c->shape.dims == 2)
        zfp_encode_partial_block_strided_float_2(c->zfp, p, m[2], m[1], 1, n[2]);
    else
        zfp_encode_partial_block_strided_float_1(c->zfp, p, m[2], 1);
    stream_flush(c->bits);
    return (size_t)stream_wtell(c->bits) / 8;
}

/* Unpack c->words into `block`, which has the strides of a whole block of zfp. */
static void decode_block(struct coder *c, float block[SIDE * SIDE * SIDE])
{
    stream_rewind(c->bits);
    if (c->shape.dims == 3)
        zfp_decode_block_float_3(c->zfp, block);
    else if (c->shape.dims == 2)
        zfp_decode_block_float_2(c->zfp, block);
    else
        zfp_decode_block_float_1(c->zfp, block);
}

/* Return the number of bytes of c->words without trailing zeros, which readers append
 * again. */
static size_t trim_zeros(const struct coder *c, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)c->words;

    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size;
}

struct errors {
    double sum, lo, hi;
};

/* Add the errors of a decoded block to the coder's sums. */
static void add_errors(struct coder *c, const float *stored, const int64_t at[3],
                       struct errors *errors)
{
    float block[SIDE * SIDE * SIDE];
    const int64_t *n = c->shape.n;
    size_t m[3];

    decode_block(c, block);
    block_sides(&c->shape, at, m);
    for (size_t i = 0; i < m[0]; i++)
        for (size_t j = 0; j < m[1]; j++)
            for (size_t k = 0; k < m[2]; k++) {
                int64_t place =
                    ((at[0] + (int64_t)i) * n[1] + at[1] + (int64_t)j) * n[2] + at[2] +
                    (int64_t)k;
                double e =
                    (double)stored[place] - (double)block[(i * SIDE + j) * SIDE + k];

                errors->sum += e;
                errors->lo = e < errors->lo ? e : errors->lo;
                errors->hi = e > errors->hi ? e : errors->hi;
            }
}

/* Write all blocks with accuracy 2^exponent. If `found` is not NULL, errors are checked
 * and its shift is set. Returns 1: the bound holds with the shift, 0: it does not,
 * -ENOMEM. */
static int put_blocks(const struct mesh_job *job, int exponent, struct mesh_bytes *bytes,
                      struct mesh_zfp_found *found)
{
    struct coder c = {0};
    struct errors errors = {0, 0, 0};
    int64_t at[3] = {0, 0, 0};
    int rc = coder_begin(&c, &job->shape, exponent), more = 1;

    while (!rc && more && !mesh_bytes_full(bytes) &&
           errors.hi - errors.lo <= 2 * job->eps) {
        size_t size = trim_zeros(&c, encode_block(&c, job->stored, at));

        mesh_put_varint(bytes, size);
        mesh_put_bytes(bytes, c.words, size);
        if (found)
            add_errors(&c, job->stored, at, &errors);
        more = next_block(&job->shape, at);
    }
    coder_end(&c);
    if (!rc && found) {
        found->shift = (float)(errors.sum / (double)job->shape.cells);
        rc = errors.hi - (double)found->shift <= job->eps &&
             (double)found->shift - errors.lo <= job->eps;
    }
    return rc;
}

/* Find the coarsest accuracy that keeps the bound, and count its bytes. The errors of zfp
 * are usually smaller than the requested accuracy, so coarser accuracies are tried first.
 * Most blocks that cannot use them exceed the bound early. */
static int find_accuracy(const struct mesh_job *job, struct mesh_bytes *bytes,
                         struct mesh_zfp_found *found)
{
    struct mesh_bytes begin = *bytes;
    int exponent, holds = 0;

    (void)frexp(job->eps, &exponent);
    for (int more = 2; more >= -1 && !holds; more--) {
        *bytes = begin;
        found->exponent = exponent + more;
        holds = put_blocks(job, found->exponent, bytes, found);
        if (mesh_bytes_full(bytes)) /* finer accuracies need more bytes */
            return 0;
    }
    return holds == 1;
}

void mesh_zfp_put(struct mesh_job *job, struct mesh_bytes *bytes)
{
    struct mesh_zfp_found *found = &job->zfp[(job->method & MESH_PACK_TIME) != 0];
    struct mesh_bytes count = {NULL, bytes->size + HEAD, bytes->limit};

    if (!found->known && !find_accuracy(job, &count, found)) {
        bytes->size = bytes->limit + 1;
        return;
    }
    if (!bytes->to && !found->known) {
        found->known = 1;
        *bytes = count;
        return;
    }
    mesh_put_number(bytes, (uint16_t)found->exponent, 2);
    mesh_put_float(bytes, found->shift);
    if (put_blocks(job, found->exponent, bytes, NULL) < 0)
        bytes->size = bytes->limit + 1;
}

/* Store the values of a block that are inside the box. */
static void scatter_block(const struct mesh_shape *shape, const float *block,
                          double shift, const int64_t at[3], const int64_t lo[3],
                          const int64_t hi[3], const float *previous, float *values)
{
    size_t m[3];

    block_sides(shape, at, m);
    for (int64_t i = 0; i < (int64_t)m[0]; i++)
        for (int64_t j = 0; j < (int64_t)m[1]; j++)
            for (int64_t k = 0; k < (int64_t)m[2]; k++) {
                int64_t c[3] = {at[0] + i, at[1] + j, at[2] + k}, place;
                float stored = (float)((double)block[(i * SIDE + j) * SIDE + k] + shift);

                if (c[0] < lo[0] || c[0] >= hi[0] || c[1] < lo[1] || c[1] >= hi[1] ||
                    c[2] < lo[2] || c[2] >= hi[2])
                    continue;
                place =
                    ((c[0] - lo[0]) * (hi[1] - lo[1]) + c[1] - lo[1]) * (hi[2] - lo[2]) +
                    c[2] - lo[2];
                values[place] = !previous ? stored
                                : stored == 0
                                    ? previous[place]
                                    : (float)((double)previous[place] + (double)stored);
            }
}

static int get_blocks(struct coder *c, const unsigned char **at, const unsigned char *end,
                      double shift, const int64_t lo[3], const int64_t hi[3],
                      const float *previous, float *values)
{
    float block[SIDE * SIDE * SIDE];
    int64_t b[3] = {0, 0, 0};
    int more = 1;

    while (more) {
        uint64_t size;

        if (mesh_get_varint(at, end, &size) || size > MOST_BYTES ||
            size > (uint64_t)(end - *at))
            return -EBADMSG;
        if (b[0] < hi[0] && b[0] + SIDE > lo[0] && b[1] < hi[1] && b[1] + SIDE > lo[1] &&
            b[2] < hi[2] && b[2] + SIDE > lo[2]) {
            memset(c->words, 0, sizeof c->words);
            memcpy(c->words, *at, size);
            decode_block(c, block);
            scatter_block(&c->shape, block, shift, b, lo, hi, previous, values);
        }
        *at += size;
        more = next_block(&c->shape, b) && (b[0] < hi[0] || hi[0] == c->shape.n[0]);
    }
    return 0;
}

int mesh_zfp_get(const unsigned char **at, const unsigned char *end,
                 const struct mesh_shape *shape, const int64_t lo[3], const int64_t hi[3],
                 const float *previous, float *values)
{
    struct coder c = {0};
    int exponent, rc;
    float shift;

    if (end - *at < HEAD)
        return -EBADMSG;
    exponent = (int16_t)mesh_get_number(*at, 2);
    shift = mesh_get_float(*at + 2);
    *at += HEAD;
    if (exponent < ZFP_MIN_EXP || exponent > 1023)
        return -EBADMSG;
    rc = coder_begin(&c, shape, exponent);
    if (!rc)
        rc = get_blocks(&c, at, end, (double)shift, lo, hi, previous, values);
    coder_end(&c);
    return rc;
}

int mesh_zfp_here(void)
{
    return 1;
}

#endif
