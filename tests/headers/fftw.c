/* SPDX-License-Identifier: BSD-3-Clause */
/* fftw.c: calls of FFTW, each told on standard output as the records should have it. */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void two_dimensions(int rows, int columns)
{
    fftw_complex *data = fftw_alloc_complex((size_t)(rows * columns));
    fftw_plan plan =
        fftw_plan_dft_2d(rows, columns, data, data, FFTW_BACKWARD, FFTW_ESTIMATE);

    printf("fftw_alloc_complex n=%d\nfftw_plan_dft_2d n0=%d n1=%d sign=1\n",
           rows * columns, rows, columns);
    for (int i = 0; i < rows * columns; i++)
        data[i][0] = 1, data[i][1] = 0;
    fftw_execute(plan);
    printf("fftw_execute n=%d\n", rows * columns);
    if (fabs(data[0][0] - rows * columns) > 1e-9)
        exit(1);
    fftw_destroy_plan(plan);
    puts("fftw_destroy_plan");
    fftw_free(data);
}

static void one_dimension(int n)
{
    fftw_complex *in = fftw_alloc_complex((size_t)n),
                 *out = fftw_alloc_complex((size_t)n);
    fftw_plan plan = fftw_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);

    printf("fftw_alloc_complex n=%d\nfftw_alloc_complex n=%d\n", n, n);
    printf("fftw_plan_dft_1d n=%d sign=-1\n", n);
    for (int i = 0; i < n; i++)
        in[i][0] = 1, in[i][1] = 0;
    for (int i = 0; i < 3; i++) {
        fftw_execute_dft(plan, in, out);
        printf("fftw_execute_dft n=%d sign=-1\n", n);
    }
    if (fabs(out[0][0] - n) > 1e-9)
        exit(1);
    fftw_destroy_plan(plan);
    puts("fftw_destroy_plan");
    fftw_free(in);
    fftw_free(out);
}

int main(void)
{
    for (int n = 2; n < 3000; n *= 3)
        one_dimension(n);
    for (int n = 2; n < 40; n *= 2)
        two_dimensions(n, 3 * n);
    return 0;
}
