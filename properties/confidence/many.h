/* SPDX-License-Identifier: BSD-3-Clause */
/* many.h: many questions at once. */
#ifndef PROPERTIES_CONFIDENCE_MANY_H
#define PROPERTIES_CONFIDENCE_MANY_H

#include <stddef.h>

/* Confidences that allow for the number of questions asked: findings are those whose
 * adjusted confidence is at least C; in a run without any severity above the threshold
 * the chance that there is a finding is then at most 1 - C.
 *
 *   confidence   in   [n], P(severity > threshold) of each question; NaN: absent
 *   adjusted     out  [n]; NaN where absent. May be `confidence`
 *   looks        in   times that somebody looks and may stop, >= 1: the error of each
 * look is divided by them
 *
 * 0; -ENOMEM. */
int mm_many_adjust(double *adjusted, const double *confidence, size_t n, unsigned looks);

#endif
