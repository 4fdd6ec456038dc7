/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.c: five kernels of different kinds. */
#include <stdlib.h>

#include "kernels.h"

double k_sum(const double *x, int n)
{
    double s = 0;

    for (int r = 0; r < 20; r++)
        for (int i = 0; i < n; i++)
            s += x[i] * r;
    return s;
}

double k_tri(const double *x, int n)
{
    double s = 0;
    int m = (int)((long)n * EXTRA / 100);

    for (int i = 0; i < m; i++)
        for (int j = 0; j < 64; j++)
            s += x[(i + j) % n] * s * 1e-9;
    return s;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

void k_sort(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
}

double k_chase(const int *next, int n)
{
    int at = 0;

    for (int i = 0; i < n * 8; i++)
        at = next[at];
    return at;
}

double k_const(void)
{
    double s = 1;

    for (int i = 0; i < 20000; i++)
        s = s * 1.0000001 + 1e-9;
    return s;
}
