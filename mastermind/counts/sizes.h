/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.h: sizes of the calls of a run that never happened.
 *
 *      NX = 64    2 x 64   4 x 32   8 x 16        a call of a solver on coarser grids
 *      NX = 96    2 x 96   4 x 48   8 x 24
 *
 * If runs make the same calls at sizes that are linear in a parameter, each call of
 * another run is known, and so is the sum of any function over the calls, even of one
 * with a kink, whose sum has no closed form. */
#ifndef MASTERMIND_COUNTS_SIZES_H
#define MASTERMIND_COUNTS_SIZES_H

#include "mastermind/counts/structure.h"

/* The mean of a function over the calls of a cell in the requested run. Returns 1; 0:
 * sizes are not linear; -ENOMEM with `err`. */
int mm_sizes_mean(const struct mm_structure *structure, size_t cell,
                  const struct mm_basis *basis, const struct mm_asked *asked,
                  double *mean, struct cca_error *err);

#endif
