/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.h: five kernels of different kinds. EXTRA: percent of k_tri's work, 100 or
 * more. */
#ifndef BENCH_DIFF_KERNELS_H
#define BENCH_DIFF_KERNELS_H

double k_sum(const double *x, int n);
double k_tri(const double *x, int n);
void k_sort(double *x, int n);
double k_chase(const int *next, int n);
double k_const(void);

#endif
