/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.h: values of a block of cells in few bytes, with a bound on the error of each.
 *
 * A block has n[0] x n[1] x n[2] values, dimension 2 fastest (C order); unused dimensions
 * are 1. The packed bytes name their method, so they are read without further words.
 * Numbers and bytes alone: no files. Reentrant. */
#ifndef MESH_PACK_PACK_H
#define MESH_PACK_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "ports/cca_error.h"

enum { MESH_PACK_CELLS = 1 << 20 }; /* most values of a block */

/* Methods; what the first byte of packed bytes names. */
enum mesh_pack_method {
    MESH_PACK_AUTO = 0, /* the smallest of those that keep the bound */
    MESH_PACK_RAW,      /* floats as they are */
    MESH_PACK_CONSTANT  /* one float for all */
};

struct mesh_pack_wish {
    enum mesh_pack_method method;
    double eps; /* bound on |decoded - given|; 0: exact */
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
 * `out` has room for mesh_pack_bound(cells) bytes. The bytes written; *error, where not
 * NULL, is that of the decoded values; *chained is 1 where `previous` is needed to
 * decode, else 0; `decoded` gets what mesh_unpack will give. -EINVAL for n out of bounds
 * or eps that is negative or not a number, -ENOMEM. A block with values that are not
 * finite is kept exactly. */
int64_t mesh_pack(const float *values, const int64_t n[3], const float *previous,
                  const struct mesh_pack_wish *wish, unsigned char *out, float *decoded,
                  int *chained, struct mesh_pack_error *error);

/* Unpack a whole block into values. 0; -EBADMSG: the bytes are damaged or of another
 * shape; -ENOTSUP: of a method that this build lacks, `err` names it; -ENOMEM. */
int mesh_unpack(const unsigned char *bytes, size_t size, const int64_t n[3],
                const float *previous, float *values, struct cca_error *err);

#endif
