/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h: values of a block of cells in few bytes, with a bound on the error of each.
 *
 * A block has n[0] x n[1] x n[2] values, dimension 2 fastest (C order); unused dimensions
 * are 1. The packed bytes name their method: no other description is needed to read them.
 * Numbers and bytes alone: no files, and no memory but the caller's (zfp, where asked,
 * allocates its own small handle). Reentrant: any thread, any block at a time.
 *
 * Packed bytes; all numbers little-endian, f32 and f64 are IEEE floats, `v` an unsigned
 * integer in groups of 7 bits, lowest first, bit 7 set where another follows:
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
 *                  3 joined  f32 b: from the last value before, a, which is not repeated,
 *                            to b; cell i: a + (b - a) / cells * (i + 1)
 *                  4 given   f32 for each cell, the value itself also along time
 *     STEPS      f32 step, f64 base; for each 64 cells (the last: fewer)
 *                u8 width; v of the least q, zigzag (0, -1, 1, -2, ..); `width` bits for
 *                each cell, lowest first, filled to whole bytes: q less the least.
 *                A value is base + step * q.
 *     ZFP        i16 e: the block is packed by zfp with accuracy 2^e; f32 shift, added to
 *                each value; then for each 4 x 4 x 4 cells (C order; 4 x 4, 4 where the
 *                block has fewer dimensions longer than 1) v bytes, and the bytes as zfp
 *                writes them
 *
 * With MESH_PACK_TIME the stored numbers are differences to the block as decoded one step
 * before, so errors do not add up. Cells come in C order, with MESH_PACK_SNAKE in
 * boustrophedon: each row in the direction opposite to the row before, and so the rows of
 * each plane. Value = (float)(before + stored); before, where 0 is stored. Formulas are
 * evaluated in double, from left to right, and rounded to f32 once.
 *
 * Sources: the polyline by least squares, stopped by the RMS: Lu and Reed, Compact
 * Application Signatures (SC 2002), there in time, here in space as in the paper of the
 * wing; slide: O'Rourke, An On-Line Algorithm for Fitting Straight Lines Between Data
 * Ranges (CACM 1981); swing: Elmeleegy and others, Online Piece-wise Linear Approximation
 * (VLDB 2009). */
#ifndef MESH_PACK_PACK_H
#define MESH_PACK_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MESH_PACK_CELLS = 1 << 20 }; /* most values of a block */

/* Methods; what the first byte of packed bytes names. */
enum mesh_pack_method {
    MESH_PACK_AUTO = 0, /* the smallest of those that keep each value and the sum */
    MESH_PACK_RAW,      /* floats as they are */
    MESH_PACK_CONSTANT, /* one float for all */
    MESH_PACK_LEAST,    /* least squares, stopped by the largest error: sums stay */
    MESH_PACK_RMS,     /* the paper's: least squares, stopped by the RMS, which is then at
                        * most eps in each segment; a value may be farther off */
    MESH_PACK_SWING,   /* connected segments; sums may be off */
    MESH_PACK_SLIDE,   /* the fewest free segments; sums may be off */
    MESH_PACK_STEPS,   /* whole multiples of a step in few bits: counts are exact */
    MESH_PACK_CHANGES, /* along time: values that are not as before, bit by bit */
    MESH_PACK_ZFP,     /* zfp with fixed accuracy, its mean error removed */
    MESH_PACK_METHODS,
    MESH_PACK_TIME = 0x40, /* added to a method: differences to the step before */
    MESH_PACK_SNAKE = 0x80 /* added to a method of segments: boustrophedon */
};

struct mesh_pack_wish {
    int method; /* enum mesh_pack_method; AUTO has no additions */
    double eps; /* bound on |decoded - given|; 0: exact, bit by bit */
};

struct mesh_pack_error {
    double largest; /* largest |decoded - given| */
    double rms;
    double sum;   /* sum of decoded - given */
    size_t worst; /* index of the value with the largest error */
};

/* Most bytes that a block of `cells` values needs. */
size_t mesh_pack_bound(size_t cells);

/* Pack `values`; `previous`, the values of the block as decoded one step before, or NULL.
 * `out` has room for mesh_pack_bound(cells) bytes, `decoded` for the cells; neither
 * overlaps the others. The bytes written; *error, where not NULL, is that of the decoded
 * values; *chained is 1 where `previous` is needed to decode, else 0; `decoded` gets what
 * mesh_unpack will give. -EINVAL for n out of bounds, eps that is negative or not a
 * number, or no such method; -ENOTSUP: of a method that this build lacks; -ENOMEM.
 *
 * No value that is decoded is farther than eps from the one given, except by RMS; AUTO
 * and LEAST keep the sum, too, to 1e-6 of the sum of magnitudes. A block with values that
 * are not finite is kept exactly. Where the method that was asked for cannot keep that,
 * needs a block before that is not there, or more bytes than RAW, the block is kept by
 * RAW. What AUTO tries takes 50 to 200 ns a cell (bench/mesh). */
int64_t mesh_pack(const float *values, const int64_t n[3], const float *previous,
                  const struct mesh_pack_wish *wish, unsigned char *out, float *decoded,
                  int *chained, struct mesh_pack_error *error);

/* Unpack a whole block into values. `previous`: as for mesh_pack; it may be `values`. 0;
 * -EBADMSG: the bytes are damaged or of another shape; -ENOTSUP: of a method that this
 * build lacks, `err` names it; -ENOMEM. On failure `values` may be in part written. */
int mesh_unpack(const unsigned char *bytes, size_t size, const int64_t n[3],
                const float *previous, float *values, struct cca_error *err);

/* Unpack the cells lo <= c < hi of a block into values, C order of the box; others are
 * passed over. `previous` is that of the box alone. Returns as mesh_unpack, and -EINVAL
 * where the box is not in the block; damage behind the box is not seen. */
int mesh_unpack_box(const unsigned char *bytes, size_t size, const int64_t n[3],
                    const int64_t lo[3], const int64_t hi[3], const float *previous,
                    float *values, struct cca_error *err);

/* What packed bytes of at least one byte are: method and additions. */
int mesh_pack_method_of(const unsigned char *bytes);

/* "raw", "least", ...; additions are ignored. Never NULL. */
const char *mesh_pack_method_name(int method);

/* Whether this build has it: all but zfp always. */
int mesh_pack_method_here(int method);

#endif
