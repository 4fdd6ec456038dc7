/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h: which rows of a method become one set of models.
 *
 * Rows of one class, build and method that were measured beside the same classes, with
 * the same callees, are one set: plain runs. Rows from another context join it only if
 * they cost the same at equal parameters, as runs go; without parameters, on average. */
#ifndef MASTERMIND_FORECAST_MODELS_POOL_H
#define MASTERMIND_FORECAST_MODELS_POOL_H

#include "mastermind/forecast/models/library.h"

/* Pool the rows of all methods of all library->profiles into library->sets, and note
 * which are kept apart. 0 or -ENOMEM. */
int mm_pool_profiles(struct mm_library *library);

/* The context of method `at` of a profile: the classes of the other called instances, a
 * bar, and the methods that it calls. New; NULL: out of memory. */
char *mm_context_of(const struct mm_profile *profile, size_t at);
/* True where two contexts have the same classes beside. */
int mm_context_same_classes(const char *a, const char *b);
/* The classes of `a` that `b` lacks: "A, B", or "" */
void mm_context_difference(const char *a, const char *b, char *text, size_t size);

#endif
