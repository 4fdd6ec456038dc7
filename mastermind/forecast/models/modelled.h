/* SPDX-License-Identifier: BSD-3-Clause */
/* modelled.h: the cost of the calls of a measured run by the models. */
#ifndef MASTERMIND_FORECAST_MODELS_MODELLED_H
#define MASTERMIND_FORECAST_MODELS_MODELLED_H

#include "mastermind/forecast/models/library.h"

struct mm_modelled {
    const struct mm_model_set *set; /* models of the method; NULL: the method has no
                                       model */
    double cost_ns;
    double half_ns;       /* half-width of a 95 % interval, from errors of models and
                             the spread of single calls; NaN: unknown */
    double unknown_calls; /* number of calls without a model: not in cost_ns */
};

/* Sum up the calls of vertex `vertex` of a profile by the models of its own class.
 * Returns 0 or -ENOMEM. */
int mm_modelled_find(struct mm_modelled *modelled, const struct mm_library *library,
                     const struct mm_profile *profile, size_t vertex);

#endif
