/* SPDX-License-Identifier: BSD-3-Clause */
/* form.h: bytes, shapes and jobs, shared by the packing methods. */
#ifndef MESH_PACK_FORM_H
#define MESH_PACK_FORM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mesh/pack/pack.h"

/* Return a method without its flags MESH_PACK_TIME and MESH_PACK_SNAKE. */
static inline int mesh_method_base(int method)
{
    return method & 0x3f;
}

/* Whether `method` is a packing method with flags that this method allows; false for
 * AUTO. */
int mesh_method_holds(int method);

/* Shape of a block of cells without its dimensions of length 1: number of planes, rows of
 * a plane, cells of a row. */
struct mesh_shape {
    int64_t n[3]; /* cells in each dimension, right-aligned, C order */
    int dims;     /* number of dimensions longer than 1 */
    int64_t cells;
};

/* Return the shape of a block of n[] cells, which was checked; lo and hi, if not NULL,
 * are right-aligned like n.
 */
static inline struct mesh_shape mesh_shape_of(const int64_t n[3], int64_t lo[3],
                                              int64_t hi[3])
{
    struct mesh_shape shape = {{1, 1, 1}, 0, 1};
    int64_t from[3] = {0, 0, 0}, to[3] = {1, 1, 1};

    for (int d = 2; d >= 0; d--) {
        if (n[d] == 1)
            continue;
        shape.dims++;
        shape.n[3 - shape.dims] = n[d];
        from[3 - shape.dims] = lo ? lo[d] : 0;
        to[3 - shape.dims] = hi ? hi[d] : n[d];
        shape.cells *= n[d];
    }
    if (lo && hi) {
        memcpy(lo, from, sizeof from);
        memcpy(hi, to, sizeof to);
    }
    return shape;
}

/* Return the number in C order of the row that is row `r` in boustrophedon order; *back:
 * true if the row runs backwards. */
static inline int64_t mesh_snake_row(const struct mesh_shape *shape, int64_t r, int *back)
{
    int64_t plane = r / shape->n[1], row = r % shape->n[1];

    *back = (int)(r & 1);
    return plane * shape->n[1] + (plane & 1 ? shape->n[1] - 1 - row : row);
}

/* Return the index in C order of the cell that is cell `t` in the method's order. */
static inline int64_t mesh_order_place(const struct mesh_shape *shape, int method,
                                       int64_t t)
{
    int64_t row, at;
    int back;

    if (!(method & MESH_PACK_SNAKE))
        return t;
    row = mesh_snake_row(shape, t / shape->n[2], &back);
    at = t % shape->n[2];
    return row * shape->n[2] + (back ? shape->n[2] - 1 - at : at);
}

/* A buffer to which bytes are written, or only counted if `to` is NULL. Beyond `limit`
 * nothing is written, and `size` stays above the limit. */
struct mesh_bytes {
    unsigned char *to;
    size_t size, limit;
};

static inline int mesh_bytes_full(const struct mesh_bytes *bytes)
{
    return bytes->size > bytes->limit;
}

static inline void mesh_put_bytes(struct mesh_bytes *bytes, const void *from, size_t size)
{
    if (bytes->to && bytes->size + size <= bytes->limit)
        memcpy(bytes->to + bytes->size, from, size);
    bytes->size += size;
}

static inline void mesh_put_number(struct mesh_bytes *bytes, uint64_t number, int width)
{
    unsigned char part[8];

    for (int i = 0; i < width; i++)
        part[i] = (unsigned char)(number >> 8 * i);
    mesh_put_bytes(bytes, part, (size_t)width);
}

static inline void mesh_put_float(struct mesh_bytes *bytes, float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    mesh_put_number(bytes, word, 4);
}

static inline void mesh_put_varint(struct mesh_bytes *bytes, uint64_t number)
{
    unsigned char part[10];
    size_t size = 0;

    for (; number >= 0x80; number >>= 7)
        part[size++] = (unsigned char)(number | 0x80);
    part[size++] = (unsigned char)number;
    mesh_put_bytes(bytes, part, size);
}

static inline uint64_t mesh_get_number(const unsigned char *at, int width)
{
    uint64_t number = 0;

    for (int i = 0; i < width; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static inline float mesh_get_float(const unsigned char *at)
{
    uint32_t word = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                    (uint32_t)at[3] << 24;
    float value;

    memcpy(&value, &word, sizeof value);
    return value;
}

/* Read an integer of the format `v` (pack.h) and advance *at. Returns 0, or -EBADMSG if
 * it does not end before `end`. */
static inline int mesh_get_varint(const unsigned char **at, const unsigned char *end,
                                  uint64_t *number)
{
    *number = 0;
    for (int shift = 0; *at < end && shift < 63; shift += 7) {
        unsigned char part = *(*at)++;

        *number |= (uint64_t)(part & 0x7f) << shift;
        if (!(part & 0x80))
            return 0;
    }
    return -EBADMSG;
}

/* Results of counting with zfp, used again when writing. */
struct mesh_zfp_found {
    int known, exponent;
    float shift;
};

/* Input of a method. */
struct mesh_job {
    struct mesh_shape shape;
    const float *stored; /* numbers to store, in the method's order: the values, or their
                            differences to the previous step */
    const float *given;  /* the values to pack, C order */
    const float *previous; /* the previous step's values as decoded, C order, or NULL */
    double magnitudes;     /* sum of |given| */
    int method;            /* packing method with its flags */
    double eps; /* bound on errors of `stored`: eps less the rounding error when
                   differences are added */
    /* results for the values themselves, and for differences to the previous step */
    struct mesh_zfp_found zfp[2];
};

#endif
