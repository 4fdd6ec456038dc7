/* SPDX-License-Identifier: BSD-3-Clause */
/* basis.c: values of basis functions. */
#include "mastermind/cost/forms/basis.h"

#include <math.h>

/* x^(twelfths/12), an exponent from 0 to 1; NaN: the exponent is not a usual one. */
static double root_value(double x, int twelfths)
{
    double value;

    switch (twelfths) {
    case 0:
        return 1;
    case 3:
        return sqrt(sqrt(x));
    case 4:
        return cbrt(x);
    case 6:
        return sqrt(x);
    case 8:
        value = cbrt(x);
        return value * value;
    case 9:
        value = sqrt(x);
        return value * sqrt(value);
    default:
        return NAN;
    }
}

void mm_power_values(const double *x, size_t count, double power, double *value)
{
    double twelfths = power * 12;
    int usual = fabs(twelfths) <= 60 && fabs(twelfths - nearbyint(twelfths)) < 1e-9;
    int rest = usual ? (int)nearbyint(twelfths) : 0;
    int whole = rest >= 0 ? rest / 12 : -((11 - rest) / 12);

    if (!usual || isnan(root_value(1, rest - 12 * whole))) {
        for (size_t i = 0; i < count; i++)
            value[i] = pow(x[i], power);
        return;
    }
    rest -= 12 * whole;
    for (size_t i = 0; i < count; i++)
        value[i] = rest ? root_value(x[i], rest) : 1;
    for (; whole > 0; whole--)
        for (size_t i = 0; i < count; i++)
            value[i] *= x[i];
    for (; whole < 0; whole++)
        for (size_t i = 0; i < count; i++)
            value[i] /= x[i];
}

/* x^power; fast for usual fractions. */
static double mm_power_value(double x, double power)
{
    double value;

    mm_power_values(&x, 1, power, &value);
    return value;
}

static double factor_value(const struct mm_factor *factor, double x)
{
    double value = mm_power_value(x, factor->power);

    for (int i = 0; i < factor->logs; i++)
        value *= log2(x);
    return value;
}

double mm_basis_value(const struct mm_basis *basis, const double *x)
{
    double value = 1;

    switch (basis->kind) {
    case MM_BASIS_ONE:
        return 1;
    case MM_BASIS_HINGE: {
        double at = x[basis->factor[0].parameter];

        return at <= basis->at ? 0
                               : factor_value(&basis->factor[0], at) -
                                     factor_value(&basis->factor[0], basis->at);
    }
    case MM_BASIS_EXPONENTIAL:
        return exp2(basis->factor[0].power * x[basis->factor[0].parameter]);
    case MM_BASIS_JUMP:
        return x[basis->factor[0].parameter] > basis->at;
    case MM_BASIS_PRODUCT:
        for (size_t i = 0; i < basis->factors; i++)
            value *= factor_value(&basis->factor[i], x[basis->factor[i].parameter]);
        return value;
    }
    return NAN;
}

static int same_factor(const struct mm_factor *a, const struct mm_factor *b)
{
    return a->parameter == b->parameter && a->power == b->power && a->logs == b->logs;
}

int mm_basis_equal(const struct mm_basis *a, const struct mm_basis *b)
{
    if (a->kind != b->kind || a->factors != b->factors)
        return 0;
    if ((a->kind == MM_BASIS_HINGE || a->kind == MM_BASIS_JUMP) && a->at != b->at)
        return 0;
    for (size_t i = 0; i < a->factors; i++) {
        size_t k = 0;

        while (k < b->factors && !same_factor(&a->factor[i], &b->factor[k]))
            k++;
        if (k == b->factors)
            return 0;
    }
    return 1;
}

int mm_power_fraction(double power, int *numerator, int *denominator)
{
    for (int d = 1; d <= 5; d++) {
        double n = round(power * d);

        if (fabs(n) < 1000 && fabs(power * d - n) <= 1e-9 * d) {
            *numerator = (int)n;
            *denominator = d;
            return 1;
        }
    }
    return 0;
}
