/* SPDX-License-Identifier: BSD-3-Clause */
/* blas.c: calls of BLAS and LAPACK as Fortran makes them, each told on standard output as
 * the records should have it. It calls them with the lengths of their characters, as
 * gfortran does. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *,
            const double *, const double *, const int *, const double *, const int *,
            const double *, double *, const int *, size_t, size_t);
void dgemv_(const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *,
            const int *, size_t);

enum { SIZE = 50 };

int main(void)
{
    static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
    const double zero = 0;
    const int lead = SIZE, one = 1;

    for (int i = 0; i < SIZE * SIZE; i++)
        a[i] = b[i] = 1;
    for (int i = 0; i < 20; i++) {
        const int m = 2 + 2 * i, n = 1 + i, k = 45 - i;
        const double alpha = 0.5 * i;
        char transpose = i % 2 ? 'N' : 'T';

        dgemm_(&transpose, "N", &m, &n, &k, &alpha, a, &lead, b, &lead, &zero, c, &lead,
               1, 1);
        printf("dgemm_ transa=%d m=%d n=%d k=%d Q=%d alpha=%.17g\n", transpose, m, n, k,
               m * n * k, alpha);
        if (c[m - 1] != alpha * k)
            exit(1);
        dgemv_("N", &m, &n, &alpha, a, &lead, b, &one, &zero, c, &one, 1);
        printf("dgemv_ trans=%d m=%d n=%d\n", 'N', m, n);
        if (c[m - 1] != alpha * n)
            exit(1);
    }
    return 0;
}
