/* SPDX-License-Identifier: BSD-3-Clause */
/* student.c: the incomplete beta function by its continued fraction. */
#include "properties/confidence/student.h"

#include <math.h>

enum { MOST_TERMS = 500 };

/* A denominator of Lentz's method, which must not be 0. */
static double apart(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* The continued fraction of I_x(a, b) (Abramowitz, Stegun 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / apart(1 - (a + b) * x / (a + 1)), f = d;

    for (int m = 1; m < MOST_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), step;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / apart(1 + even * d);
        c = apart(1 + even / c);
        f *= c * d;
        d = 1 / apart(1 + odd * d);
        c = apart(1 + odd / c);
        step = c * d;
        f *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return f;
}

/* I_x(a, b); `y` = 1 - x, which may be too small to be had from x. */
static double incomplete_beta(double a, double b, double x, double y)
{
    double front;

    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x > (a + 1) / (a + b + 2))
        return 1 - front * beta_fraction(b, a, y) / b;
    return front * beta_fraction(a, b, x) / a;
}

double mm_student(double t, double freedom)
{
    double tail, square = t * t;

    if (isnan(t) || !(freedom > 0))
        return NAN;
    if (isinf(t))
        return t > 0;
    if (freedom > 1e7) /* t and the normal distribution differ by less than 1e-7 */
        return .5 * erfc(-t / sqrt(2));
    /* Abramowitz, Stegun 26.7.1 and 26.5.27 */
    tail = .5 * incomplete_beta(freedom / 2, .5, freedom / (freedom + square),
                                square / (freedom + square));
    return t > 0 ? 1 - tail : tail;
}

double mm_student_inverse(double p, double freedom)
{
    double low = -1, high = 1;

    if (!(p > 0 && p < 1) || !(freedom > 0))
        return NAN;
    while (mm_student(low, freedom) > p && low > -1e300)
        low *= 2;
    while (mm_student(high, freedom) < p && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200; i++) { /* bisection: no derivative that may be 0 */
        double middle = (low + high) / 2;

        if (middle <= low || middle >= high)
            break;
        if (mm_student(middle, freedom) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
