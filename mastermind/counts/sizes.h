/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.h: sizes of the calls of a run that never happened.
 *
 *     NX = 64    2 x 64   4 x 32   8 x 16        a call of a solver on coarser grids
 *     NX = 96    2 x 96   4 x 48   8 x 24
 *
 * Where runs make the same calls at sizes that are linear in a parameter, the calls of
 * another run are known one by one, and so is the sum of any function over them, also of
 * one with a kink, whose sum has no closed form. */
#ifndef MASTERMIND_COUNTS_SIZES_H
#define MASTERMIND_COUNTS_SIZES_H

#include "mastermind/counts/structure.h"

/* The mean of a function over the calls of a cell in the run asked for. Returns 1; 0: its
 * calls are no such ones; -ENOMEM with `err`. */
int mm_sizes_mean(const struct mm_structure *structure, size_t cell,
                  const struct mm_basis *basis, const struct mm_asked *asked,
                  double *mean, struct cca_error *err);

#endif
