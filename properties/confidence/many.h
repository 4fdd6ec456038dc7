/* SPDX-License-Identifier: BSD-3-Clause */
/* many.h: adjust confidences for many questions. */
#ifndef PROPERTIES_CONFIDENCE_MANY_H
#define PROPERTIES_CONFIDENCE_MANY_H

#include <stddef.h>

/* Adjust confidences for the number of questions: findings are questions whose adjusted
 * confidence is at least C. Then in a run without any severity above the threshold, the
 * probability of a finding is at most 1 - C.
 *
 *   confidence   in   [n], P(severity > threshold) of each question; NaN: absent
 *   adjusted     out  [n]; NaN where absent. May be `confidence`
 *   looks        in   number of times the results are inspected with the option to stop,
 *  >= 1: the error of each inspection is divided by it
 *
 * 0; -ENOMEM. */
int mm_many_adjust(double *adjusted, const double *confidence, size_t n, unsigned looks);

#endif
