/* SPDX-License-Identifier: BSD-3-Clause */
/* libm.c: calls of the mathematical library, each told on standard output as the records
 * should have it: floats, doubles, long doubles, complex numbers, values that are no
 * numbers. */
#include <stdio.h>

#include "libm.h"

int main(void)
{
    static const double numbers[] = {0, -0.0, 1, 2.5, -3, 1e-310, 1e300, INFINITY, NAN};
    enum { COUNT = sizeof numbers / sizeof *numbers };

    for (int i = 0; i < COUNT; i++) {
        const volatile double given = numbers[i];
        double x = given, value = exp(x), whole;
        double complex turned;
        int exponent;

        printf("exp x=%.17g value=%.17g\n", x, value);
        value = cbrt(x);
        printf("cbrt x=%.17g value=%.17g\n", x, value);
        value = frexp(x, &exponent);
        printf("frexp x=%.17g exponent=%d value=%.17g\n", x, exponent, value);
        value = modf(x, &whole);
        printf("modf x=%.17g whole=%.17g value=%.17g\n", x, whole, value);
        value = ldexp(x, 3 - i);
        printf("ldexp x=%.17g by=%d value=%.17g\n", x, 3 - i, value);
        printf("tanf x=%.17g value=%.17g\n", (double)(float)x, (double)tanf((float)x));
        printf("atan2l y=%.17g value=%.17g\n", x, (double)atan2l(x, 2));
        printf("lrint x=1%d.5 value=%ld\n", i, lrint(10.5 + i));
        for (int j = 0; j < COUNT; j++) {
            value = pow(x, numbers[j]);
            printf("pow x=%.17g y=%.17g value=%.17g\n", x, numbers[j], value);
        }
        value = cabs(x + 2 * I);
        printf("cabs value=%.17g\n", value);
        turned = cexp(x * I); /* passed and returned by value */
        printf("cexp\n");
        if (x - x == 0 && fabs(creal(turned) - cos(x)) > 1e-15)
            return 1;
    }
    return 0;
}
