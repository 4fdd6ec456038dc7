/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h: decide which rows of a method form one set of models.
 *
 * Rows of one class, build and method that were measured together with the same classes,
 * and with the same callees, form one set. Rows from another context join it only if they
 * have the same costs at equal parameters (without parameters, on average), within the
 * variation between runs. */
#ifndef MASTERMIND_FORECAST_MODELS_POOL_H
#define MASTERMIND_FORECAST_MODELS_POOL_H

#include "mastermind/forecast/models/library.h"

/* Pool the rows of all methods of all library->profiles into library->sets, and note
 * which are separate. 0 or -ENOMEM. */
int mm_pool_profiles(struct mm_library *library);

/* The context of method `at` of a profile: the classes of the other called instances, a
 * vertical bar, and the methods that it calls. New; NULL: out of memory. */
char *mm_context_of(const struct mm_profile *profile, size_t at);
/* True if two contexts (classes beside a method) have the same classes. */
int mm_context_same_classes(const char *a, const char *b);
/* The classes of context `a` that context `b` lacks: "A, B", or "" */
void mm_context_difference(const char *a, const char *b, char *text, size_t size);

#endif
