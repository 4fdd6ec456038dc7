/* SPDX-License-Identifier: BSD-3-Clause */
/* given.h: models of a library that were not fitted to its experiments, but stored
 * before. */
#ifndef MASTERMIND_FORECAST_MODELS_GIVEN_H
#define MASTERMIND_FORECAST_MODELS_GIVEN_H

#include "mastermind/forecast/models/library.h"

/* A model that was stored before. Strings and callees are borrowed and must outlive the
 * library. */
struct mm_given_model {
    struct mm_model *model; /* moved into the library when added, leaving zeros */
    const char *origin;     /* place where the model is stored, for messages */
    int replace;            /* true if the model replaces a model with the same key */
    uint64_t calls; /* invocations of the method to which the numbers of callees refer */
    const struct mm_callee *callees;
    size_t callee_count;
    char *beside; /* neighbouring class, as in struct mm_model_set; copied */
    char *const *contexts;
    size_t context_count;
};

/* Put a model into the library. An existing model of the same class, build, port type,
 * method and mode remains unless `replace` is set; given->model is then unchanged.
 * Returns 0 or -ENOMEM. */
int mm_library_add_model(struct mm_library *library, const struct mm_given_model *given);

#endif
