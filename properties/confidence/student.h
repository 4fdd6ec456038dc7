/* SPDX-License-Identifier: BSD-3-Clause */
/* student.h: Student's t and the normal distribution. */
#ifndef PROPERTIES_CONFIDENCE_STUDENT_H
#define PROPERTIES_CONFIDENCE_STUDENT_H

/* P(T <= t) with `freedom` > 0 degrees of freedom, which may be a fraction; INFINITY: the
 * normal distribution. To 1e-12, in the tails relative. NaN for NaN. */
double mm_student(double t, double freedom);

/* The t with mm_student(t, freedom) = p, 0 < p < 1. */
double mm_student_inverse(double p, double freedom);

#endif
