/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.h: predicted counts and other quantities that depend on the classes of the
 * instances. */
#ifndef MASTERMIND_COUNTS_CLASSES_H
#define MASTERMIND_COUNTS_CLASSES_H

#include "mastermind/counts/structure.h"

/* True if a run has all requested classes and other texts among the parameters. */
int mm_run_has_classes(const struct mm_structure *structure, const struct mm_asked *asked,
                       size_t run);
/* Predict a quantity for requested classes: from the runs that have them; if these are
 * too few, from similar runs, times the ratios that runs show for each class. Arguments
 * and result as of mm_structure_amount, which calls this function. */
int mm_classes_amount(struct mm_structure *structure, struct mm_quantity *quantity,
                      const struct mm_asked *asked, struct mm_amount *amount,
                      struct cca_error *err);

#endif
