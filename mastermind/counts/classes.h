/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.h: quantities that depend on the plugged-in classes. */
#ifndef MASTERMIND_COUNTS_CLASSES_H
#define MASTERMIND_COUNTS_CLASSES_H

#include "mastermind/counts/structure.h"

/* True for a run that has every requested class and text. */
int mm_run_has_classes(const struct mm_structure *structure, const struct mm_asked *asked,
                       size_t run);
/* Like mm_structure_amount, for requested classes that few runs have. */
int mm_classes_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                      const struct mm_asked *asked, struct mm_amount *amount,
                      struct cca_error *err);

#endif
