/* SPDX-License-Identifier: BSD-3-Clause */
/* field.h: E and H of a rank's cells as coefficients of Haar wavelets, and their updates.
 *
 * In a cell a component is piecewise constant on its 2 x 2 x 2 half cells. It is kept as
 * the 8 coefficients c[m] of products of the scaling function (1, 1) and the wavelet (1,
 * -1) in each dimension: bit d of m is set where the factor in dimension d is the
 * wavelet. c[0] is the mean. H is scaled by the impedance of vacuum, so both have the
 * same unit.
 *
 * E and H are offset by half a *half cell*, not by half a cell: then all 8 coefficients
 * together are exactly the scheme of Yee on the grid of half cells, and c[0] alone is the
 * scheme of Yee on the grid of cells (Sarris and Katehi, Fundamental gridding-related
 * dispersion effects in multiresolution time-domain schemes, 2001).
 *
 * Outside of the box all values are 0: H at low faces (a magnetic wall), E at high faces
 * (an electric wall). One thread at a time. */
#ifndef EXAMPLES_MRTD_FIELD_H
#define EXAMPLES_MRTD_FIELD_H

#include <stdint.h>

#include "examples/mrtd/options.h"
#include "examples/mrtd/parts.h"

enum {
    /* number of coefficients of E, or of H, in a cell: 3 components of 8 */
    MRTD_COEFFICIENTS = 24,
    MRTD_GHOST_WORDS = MRTD_COEFFICIENTS + 1,
    MRTD_CELL_WORDS = 2 * MRTD_GHOST_WORDS
};

#define MRTD_MATTERED UINT64_C(0xffffff)
#define MRTD_ACTIVE UINT64_C(0xffffff000000)
#define MRTD_MEANS UINT64_C(0x010101000000)

/* One of the fields E and H: data of each slot of the rank's cells (parts.h). */
struct mrtd_half {
    double *value;  /* coefficients, [slots][3][8]; the 8 coefficients of a component fill
                       64 bytes */
    uint64_t *bits; /* [slots] bits 8 x to 8 x + 7: wavelets of component x that reach the
                       threshold; likewise from bit 24 on: coefficients that were updated
                       last */
};

struct mrtd_field {
    struct mrtd_half half[2]; /* the fields, with index MRTD_E or MRTD_H */
    /* [own] for each cell: factors of the previous value and of the curl in the update */
    double *keep, *add;
    /* [own] for each cell: number of coefficients updated in this step */
    unsigned char *work;
    double threshold;
};

/* Make a field, all 0, for the cells of `parts`. Returns NULL: out of memory. */
struct mrtd_field *mrtd_field_new(const struct mrtd_options *o,
                                  const struct mrtd_parts *parts);
void mrtd_field_free(struct mrtd_field *field);

/* Set E at step 0 to the mode o->mode of the box, an exact solution of the scheme. */
void mrtd_field_mode(struct mrtd_field *field, const struct mrtd_options *o,
                     const struct mrtd_parts *parts);

/* Add the source's current of `step` to E of its cell, if this rank has it. */
void mrtd_field_source(struct mrtd_field *field, const struct mrtd_options *o,
                       const struct mrtd_parts *parts, int32_t step);

/* Update E (from H) or H (from E) of the cell in slot s < own. An update of H sets
 * work[s], an update of E adds to it. */
void mrtd_field_update(struct mrtd_field *field, const struct mrtd_parts *parts,
                       int which, int32_t s);

/* Pack slots of E or H for other ranks, MRTD_GHOST_WORDS doubles each; unpack such
 * doubles into ghosts. */
void mrtd_field_pack(const struct mrtd_field *field, int which, const int32_t *slots,
                     int64_t count, double *words);
void mrtd_field_unpack(struct mrtd_field *field, int which, const int32_t *slots,
                       int64_t count, const double *words);

/* Pack and unpack the values of cells that move to another rank, MRTD_CELL_WORDS doubles
 * each. */
void mrtd_field_pack_cells(const struct mrtd_field *field, const int32_t *slots,
                           int64_t count, double *words);
void mrtd_field_unpack_cells(struct mrtd_field *field, const int32_t *slots,
                             int64_t count, const double *words);
/* Copy the cells that stay: slot s of `to` from slot kept[s] of `from`, unless that is
 * -1. */
void mrtd_field_keep(struct mrtd_field *to, const struct mrtd_field *from,
                     const int32_t *kept, int32_t own);

#endif
