/* SPDX-License-Identifier: BSD-3-Clause */
/* lapack.c: calls of LAPACK from its C header, each told on standard output as the
 * records should have it. */
#include <complex.h>
#include <lapack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 40 };

int main(void)
{
    static double a[SIZE * SIZE], x[SIZE], w[SIZE], work[8 * SIZE];
    static lapack_int pivots[SIZE];
    lapack_int lead = SIZE, one = 1, info, room = 8 * SIZE;

    for (lapack_int n = 1; n <= SIZE; n += 3) {
        for (int i = 0; i < SIZE * SIZE; i++)
            a[i] = i % (SIZE + 1) == 0 ? (n == 7 ? 0 : 4)
                   : n == 7            ? 0
                                       : 1.0 / (1 + i % 7);
        for (int i = 0; i < n; i++)
            x[i] = i;
        LAPACK_dgetrf(&n, &n, a, &lead, pivots, &info); /* of zeros where n is 7 */
        printf("dgetrf_ m=%d n=%d info=%d\n", n, n, info);
        if (info != 0)
            continue;
        LAPACK_dgetrs("N", &n, &one, a, &lead, pivots, x, &lead, &info);
        printf("dgetrs_ trans=78 n=%d nrhs=1 info=%d\n", n, info);
        for (int i = 0; i < SIZE * SIZE; i++)
            a[i] = i % (SIZE + 1) == 0 ? 2 : 0;
        LAPACK_dsyev(n % 2 ? "V" : "N", "L", &n, a, &lead, w, work, &room, &info);
        printf("dsyev_ jobz=%d uplo=76 n=%d lwork=%d info=%d\n", n % 2 ? 'V' : 'N', n,
               room, info);
        if (fabs(w[0] - 2) > 1e-12)
            exit(1);
    }
    puts("inner dgetrf_");
    return 0;
}
