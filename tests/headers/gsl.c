/* SPDX-License-Identifier: BSD-3-Clause */
/* gsl.c: calls of GSL, each told on standard output as the records should have it:
 * functions that call the program back, and one of them the library again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gsl.h"

static double bessel(double x, void *order)
{
    double value = gsl_sf_bessel_Jn(*(int *)order, x);

    printf("gsl_sf_bessel_Jn in=gsl_integration_qag n=%d x=%.17g value=%.17g\n",
           *(int *)order, x, value);
    return value;
}

int main(void)
{
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(100);
    double result, error, signal[128] = {0};

    puts("gsl_integration_workspace_alloc n=100");
    for (int order = 0; order < 3; order++) {
        gsl_function f = {bessel, &order};
        int status = gsl_integration_qag(&f, 0, 2.5 + order, 1e-9, 1e-9, 100, 1 + order,
                                         work, &result, &error);

        printf("gsl_integration_qag b=%.17g width=%.17g room=100 limit=100 key=%d "
               "result=%.17g abserr=%.17g status=%d\n",
               2.5 + order, 2.5 + order, 1 + order, result, error, status);
    }
    gsl_integration_workspace_free(work);
    for (size_t n = 1; n <= 64; n *= 2) {
        int status;

        signal[0] = 1;
        status = gsl_fft_complex_radix2_forward(signal, 1, n);
        printf("gsl_fft_complex_radix2_forward stride=1 n=%zu status=%d\n", n, status);
    }
    for (int n = -2; n < 40; n += 3) {
        double value = gsl_sf_bessel_Jn(n, 0.5 * n + 1.25);

        printf("gsl_sf_bessel_Jn n=%d x=%.17g value=%.17g\n", n, 0.5 * n + 1.25, value);
        if (n >= 0 && fabs(value - jn(n, 0.5 * n + 1.25)) > 1e-12)
            exit(1);
    }
    return 0;
}
