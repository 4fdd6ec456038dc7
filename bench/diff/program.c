/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c: calls the kernels with 19 sizes; k_tri as often as the argument says. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

enum { MOST = 20000, ROUNDS = 40 };

int main(int argc, char **argv)
{
    static double x[MOST], y[MOST];
    static int next[MOST];
    int times = argc > 1 ? atoi(argv[1]) : 1;
    double s = 0;

    srand(1);
    for (int r = 0; r < ROUNDS; r++) {
        int n = 1000 + r * 7919 % 19 * 900;

        for (int i = 0; i < n; i++) {
            x[i] = rand() % 1000;
            next[i] = (i * 17 + 1) % n;
        }
        s += k_sum(x, n);
        for (int k = 0; k < times; k++)
            s += k_tri(x, n);
        for (int i = 0; i < n; i++)
            y[i] = x[i];
        k_sort(y, n);
        s += k_chase(next, n) + k_const();
    }
    printf("%g\n", s);
    return 0;
}
