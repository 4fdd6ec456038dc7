/* SPDX-License-Identifier: BSD-3-Clause */
/* given.h: models of a library that were not fitted to its experiments, but kept. */
#ifndef MASTERMIND_FORECAST_MODELS_GIVEN_H
#define MASTERMIND_FORECAST_MODELS_GIVEN_H

#include "mastermind/forecast/models/library.h"

/* Strings and callees are borrowed and must outlive the library. */
struct mm_given_model {
    struct mm_model *model; /* taken over where it is added: zeros remain */
    const char *origin;     /* where it is kept, to print */
    int replace;            /* it takes the place of a model of the same key */
    uint64_t calls; /* invocations of the method that the callees are counted by */
    const struct mm_callee *callees;
    size_t callee_count;
    char *beside; /* as in struct mm_model_set; copied */
    char *const *contexts;
    size_t context_count;
};

/* Put a model into the library. An existing model of the same class, build, port type,
 * method and mode stays unless `replace` is set: given->model then keeps its contents. 0
 * or -ENOMEM. */
int mm_library_add_model(struct mm_library *library, const struct mm_given_model *given);

#endif
