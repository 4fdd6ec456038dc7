/* SPDX-License-Identifier: BSD-3-Clause */
/* results.h: write a store with its answers as a new file. */
#ifndef PROPERTIES_EVALUATE_RESULTS_H
#define PROPERTIES_EVALUATE_RESULTS_H

#include "properties/evaluate/evaluate.h"

/* A property and its answers, borrowed, to be written into the store. */
struct mm_result_set {
    const char *property;
    const struct mm_property_answers *answers;
};

/* Write a copy of `store` to the new file `path`; its table property_result contains
 * these answers instead of earlier ones. The file is renamed to `path` when it is
 * complete. Returns 0; -EEXIST, -EIO, -ENOMEM with `err`. */
int mm_results_write(struct mm_store *store, const char *path,
                     const struct mm_result_set *sets, size_t count,
                     struct cca_error *err);

#endif
