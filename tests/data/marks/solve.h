/* SPDX-License-Identifier: BSD-3-Clause */
/* solve.h: what solve.f90 looks like from C. The lengths of the strings are not declared. */
void solve_(const char *trans, const char *title, const int *n, const long *wide, double *x,
            int *info);
