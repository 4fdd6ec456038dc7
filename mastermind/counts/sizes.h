/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.h: the sizes of the calls in a run that has not been measured. */
#ifndef MASTERMIND_COUNTS_SIZES_H
#define MASTERMIND_COUNTS_SIZES_H

#include "mastermind/counts/structure.h"

/* The mean of a function over the calls of a cell in the requested run. Returns 1; 0:
 * sizes are not linear; -ENOMEM with `err`. */
int mm_sizes_mean(const struct mm_structure *structure, size_t cell,
                  const struct mm_basis *basis, const struct mm_asked *asked,
                  double *mean, struct cca_error *err);

#endif
