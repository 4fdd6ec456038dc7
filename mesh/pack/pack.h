/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h: pack the values of a block of cells into few bytes, with a bound on each error.
 *
 * A block has n[0] x n[1] x n[2] values, dimension 2 fastest (C order); unused dimensions
 * are 1. The packed bytes contain their method: no other description is needed to read
 * them. Numbers and bytes only: no files, and no memory except the caller's (zfp
 * allocates a small handle). Reentrant: any thread, any block at a time.
 *
 * Format of the packed bytes: all numbers are little-endian, f32 and f64 are IEEE floats,
 * `v` is an unsigned integer in groups of 7 bits, lowest first, with bit 7 set if another
 * group follows:
 *
 *     byte 0     method (enum mesh_pack_method) + MESH_PACK_TIME + MESH_PACK_SNAKE
 *     RAW        f32 for each cell
 *     CONSTANT   f32 for all
 *     LEAST RMS SWING SLIDE CHANGES: segments until all cells are covered, each
 *                v = cells * 8 + kind, then by kind
 *                  0 zero    nothing: 0 for each of its cells
 *                  1 level   f32 for each
 *                  2 line    f32 a, f32 b: from a at the first cell to b at the last;
 *                            cell i from 0: a + (b - a) / (cells - 1) * i
 *                  3 joined  f32 b: from the value before the segment, a, not repeated,
 *                            to b; cell i: a + (b - a) / cells * (i + 1)
 *                  4 given   f32 for each cell: the value itself, also with PACK_TIME
 *     STEPS      f32 step, f64 base; for each 64 cells (the last: fewer)
 *                u8 width; v of the least q, zigzag (0, -1, 1, -2, ..); `width` bits for
 *                each cell, lowest first, filled to whole bytes: q less the least.
 *                A value is base + step * q.
 *     ZFP        i16 e: the block is packed by zfp with accuracy 2^e; f32 shift, added to
 *                each value; then for each 4 x 4 x 4 cells (C order; 4 x 4, 4 where the
 *                block has fewer dimensions longer than 1) v bytes, and the bytes as zfp
 *                writes them
 *
 * With MESH_PACK_TIME the stored numbers are differences to the same block as decoded one
 * step before, so errors do not accumulate: value = (float)(before + stored), or exactly
 * `before` if 0 is stored. Cells come in C order; with MESH_PACK_SNAKE in boustrophedon:
 * each row runs in the opposite direction of the row before it, and likewise the rows of
 * each plane. Formulas are evaluated in double, from left to right, and rounded to f32
 * once.
 *
 * Sources: polyline by least squares, limited by the RMS: Lu and Reed, Compact
 * Application Signatures (SC 2002), there in time, here in space as in the paper on mesh
 * profiles; slide: O'Rourke, An On-Line Algorithm for Fitting Straight Lines Between Data
 * Ranges (CACM 1981); swing: Elmeleegy and others, Online Piece-wise Linear Approximation
 * (VLDB 2009). */
#ifndef MESH_PACK_PACK_H
#define MESH_PACK_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MESH_PACK_CELLS = 1 << 20 }; /* limit of values per block */

/* Methods, as in the first byte of packed bytes. */
enum mesh_pack_method {
    MESH_PACK_AUTO = 0, /* the smallest method that bounds each error and preserves the
                         * sum */
    MESH_PACK_RAW,      /* unchanged floats */
    MESH_PACK_CONSTANT, /* one value, which all cells get */
    MESH_PACK_LEAST,    /* least squares, limited by the largest error: preserves sums */
    MESH_PACK_RMS,   /* least squares, limited by the RMS of errors (Lu and Reed), which
                      * is at most eps in each segment; single values may be farther off
                      * than that */
    MESH_PACK_SWING, /* connected segments; sums are not preserved */
    MESH_PACK_SLIDE, /* the fewest unconnected segments; sums are not preserved */
    MESH_PACK_STEPS, /* multiples of a step in few bits: counts are exact */
    /* stores the values that differ from the step before, exactly, and no others */
    MESH_PACK_CHANGES,
    MESH_PACK_ZFP, /* zfp with fixed accuracy, corrected for its mean error */
    MESH_PACK_METHODS,
    MESH_PACK_TIME = 0x40, /* flag of a method: store differences to the step before */
    MESH_PACK_SNAKE = 0x80 /* flag of a method of segments: boustrophedon order */
};

struct mesh_pack_wish {
    int method; /* enum mesh_pack_method; AUTO without flags */
    double eps; /* bound on |decoded - given|; 0: exact, bit by bit */
};

struct mesh_pack_error {
    double largest; /* largest |decoded - given| */
    double rms;
    double sum;   /* sum over the cells of decoded - given */
    size_t worst; /* index of the value with the largest error */
};

/* Return the maximum number of bytes for a block of `cells` values. */
size_t mesh_pack_bound(size_t cells);

/* Pack `values`. `previous`: the block's values as decoded one step before, or NULL.
 * `out` has room for mesh_pack_bound(cells) bytes, `decoded` for the cells; neither
 * overlaps other arguments. Returns the number of bytes. *error, if not NULL, is the
 * error of the decoded values; *chained is 1 if `previous` is needed for decoding, else
 * 0; `decoded` gets the values that mesh_unpack will return. Returns -EINVAL: n is out of
 * bounds, eps is negative or not a number, or there is no such method; -ENOTSUP: this
 * build lacks the method; -ENOMEM.
 *
 * No decoded value differs by more than eps from the given one, except with RMS; AUTO and
 * LEAST preserve the sum, too, to 1e-6 of the sum of magnitudes. A block with values that
 * are not finite is stored exactly. RAW is used instead of the requested method if that
 * violates its bound, needs a previous block that does not exist, or takes more bytes
 * than RAW. AUTO takes 50 to 200 ns per cell (bench/mesh). */
int64_t mesh_pack(const float *values, const int64_t n[3], const float *previous,
                  const struct mesh_pack_wish *wish, unsigned char *out, float *decoded,
                  int *chained, struct mesh_pack_error *error);

/* Unpack a whole block into values. `previous`: as for mesh_pack; it may be `values`.
 * Returns 0; -EBADMSG: the bytes are damaged or of another shape; -ENOTSUP: this build
 * lacks the method, which `err` names; -ENOMEM. After a failure `values` may be partly
 * written. */
int mesh_unpack(const unsigned char *bytes, size_t size, const int64_t n[3],
                const float *previous, float *values, struct cca_error *err);

/* Unpack only the cells lo <= c < hi of a block into values, in the C order of this box.
 * `previous` has the values of the box only. Returns like mesh_unpack, and -EINVAL if the
 * box is not inside the block; damage after the box is not detected. */
int mesh_unpack_box(const unsigned char *bytes, size_t size, const int64_t n[3],
                    const int64_t lo[3], const int64_t hi[3], const float *previous,
                    float *values, struct cca_error *err);

/* Return method and flags of packed bytes, of which there is at least one. */
int mesh_pack_method_of(const unsigned char *bytes);

/* Return the name of a method: "raw", "least", ...; flags are ignored. Never NULL. */
const char *mesh_pack_method_name(int method);

/* Whether this build has the method: true for all methods but zfp. */
int mesh_pack_method_here(int method);

#endif
