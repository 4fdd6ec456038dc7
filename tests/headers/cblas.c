/* SPDX-License-Identifier: BSD-3-Clause */
/* cblas.c: calls of the C interface of BLAS, each told on standard output as the records
 * should have it. Its matrices are of ones, so that a product is known. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 60 };

int main(void)
{
    static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
    static float single[SIZE];

    for (int i = 0; i < SIZE * SIZE; i++)
        a[i] = b[i] = 1;
    for (int i = 0; i < SIZE; i++)
        single[i] = 0.5f;
    for (int i = 0; i < 20; i++) {
        CBLAS_LAYOUT layout = i % 2 ? CblasRowMajor : CblasColMajor;
        CBLAS_TRANSPOSE transpose = i % 3 ? CblasTrans : CblasNoTrans;
        int m = 1 + 2 * i, n = 1 + i, k = 40 - i;
        double dot;

        cblas_dgemm(layout, transpose, CblasNoTrans, m, n, k, 0.25 * i, a, SIZE, b, SIZE,
                    0, c, SIZE);
        printf("cblas_dgemm layout=%d TransA=%d M=%d N=%d K=%d work=%d alpha=%.17g\n",
               (int)layout, (int)transpose, m, n, k, m * n * k, 0.25 * i);
        if (c[0] != 0.25 * i * k)
            exit(1);
        cblas_dscal(n, 0.5, c, 1 + i % 2);
        printf("cblas_dscal N=%d incX=%d\n", n, 1 + i % 2);
        dot = cblas_ddot(m, a, 1, b, 2);
        printf("cblas_ddot N=%d dot=%.17g\n", m, dot);
        printf("cblas_sasum N=%d sum=%.9g\n", m, (double)cblas_sasum(m, single, 1));
        printf("cblas_idamax N=%d at=%zu\n", n, (size_t)cblas_idamax(n, c, 1));
    }
    puts("inner cblas_ddot");
    return 0;
}
