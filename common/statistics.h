/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.h: medians and quantiles of numbers; the normal distribution and Student's
 * t, and their quantiles.
 *
 * Probabilities are P(X <= x). Degrees of freedom may be fractional. */
#ifndef COMMON_STATISTICS_H
#define COMMON_STATISTICS_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/sort.h"

enum { CCA_BETA_TERMS = 20000, CCA_QUANTILE_STEPS = 100 };

/* From this number of degrees of freedom on, Student's t distribution equals the normal
 * distribution to
 * 1e-7. */
#define CCA_NORMAL_FREEDOM 1e7
#define CCA_PI 3.14159265358979323846
/* For a normal distribution: half-widths of its 90 % and 95 % intervals in standard
 * deviations, and the factor that converts its median absolute deviation to a standard
 * deviation; from its quantiles at .95, .975 and .75. */
#define CCA_NORMAL_90 1.6448536269514722
#define CCA_NORMAL_95 1.959963984540054
#define CCA_NORMAL_SCALE 1.4826022185056018

/* Return the quantile `q` (0 to 1) of `count` > 0 sorted numbers, by linear interpolation
 * at the index q * (count - 1). */
static inline double cca_quantile(const double *sorted, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t i = (size_t)at;

    return i + 1 < count ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i])
                         : sorted[i];
}

/* Return the median of `count` > 0 numbers, which are sorted in place. */
static inline double cca_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, cca_order_double);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Return the quantile z of the standard normal distribution at probability p, 0 < p < 1;
 * NaN for other p. Newton's method starts from a rational approximation (Abramowitz,
 * Stegun 26.2.23) with an error of 4.5e-4. */
static inline double cca_normal_quantile(double p)
{
    double tail = p < .5 ? p : 1 - p, t = sqrt(-2 * log(tail)), z;

    if (!(p > 0 && p < 1))
        return NAN;
    z = t - (2.515517 + t * (.802853 + t * .010328)) /
                (1 + t * (1.432788 + t * (.189269 + t * .001308)));
    for (int i = 0; i < 3; i++)
        z += (.5 * erfc(z / sqrt(2)) - tail) * sqrt(2 * CCA_PI) * exp(z * z / 2);
    return p < .5 ? -z : z;
}

/* Return a denominator for Lentz's method: `x`, or 1e-300 if `x` is nearer to 0. */
static inline double cca_beta_apart(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* Compute the continued fraction of I_x(a, b) (Abramowitz, Stegun 26.5.8), by Lentz's
 * method. */
static inline double cca_beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / cca_beta_apart(1 - (a + b) * x / (a + 1)), f = d;

    for (int m = 1; m < CCA_BETA_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), step;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / cca_beta_apart(1 + even * d);
        c = cca_beta_apart(1 + even / c);
        f *= c * d;
        d = 1 / cca_beta_apart(1 + odd * d);
        c = cca_beta_apart(1 + odd / c);
        step = c * d;
        f *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return f;
}

/* Return the incomplete beta function I_x(a, b). `y` = 1 - x is an argument, too, because
 * it may be too small to be computed from x. */
static inline double cca_beta(double a, double b, double x, double y)
{
    double front;

    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    if (x > (a + 1) / (a + b + 2))
        return 1 - front * cca_beta_fraction(b, a, y) / b;
    return front * cca_beta_fraction(a, b, x) / a;
}

/* Return P(T > t) for Student's t and t >= 0 (Abramowitz, Stegun 26.7.1 and 26.5.27),
 * with a relative error of 1e-12. */
static inline double cca_student_tail(double t, double freedom)
{
    double square = t * t;

    if (isinf(t))
        return 0;
    if (freedom > CCA_NORMAL_FREEDOM)
        return .5 * erfc(t / sqrt(2));
    return .5 * cca_beta(freedom / 2, .5, freedom / (freedom + square),
                         square / (freedom + square));
}

/* Return P(T <= t) for Student's t with `freedom` > 0 degrees of freedom; INFINITY gives
 * the normal distribution. NaN for NaN. */
static inline double cca_student(double t, double freedom)
{
    if (isnan(t) || !(freedom > 0))
        return NAN;
    return t > 0 ? 1 - cca_student_tail(t, freedom) : cca_student_tail(-t, freedom);
}

/* Return the t >= 0 that Student's t exceeds with probability `tail` <= 1/2. log(tail) is
 * nearly linear in asinh(t), so Newton's method in that variable, starting from the
 * normal quantile, needs two to five steps. */
static inline double cca_student_above(double tail, double freedom)
{
    double t = -cca_normal_quantile(tail), scale;

    if (freedom > CCA_NORMAL_FREEDOM)
        return t;
    /* the first value of the iteration is the first term of Hill's expansion (1970) of
     * the quantile */
    t = sqrt(freedom * expm1(t * t / freedom));
    scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * CCA_PI);
    for (int i = 0; i < CCA_QUANTILE_STEPS; i++) {
        double above = cca_student_tail(t, freedom), width = sqrt(freedom + t * t), step;
        double density = scale * pow(1 + t * t / freedom, -(freedom + 1) / 2);

        step =
            log(above / tail) * above / (density * width); /* derivative with respect to
                                                              asinh(t / sqrt(freedom)) */
        if (!isfinite(step))
            break;
        step = fmax(fmin(step, 2), -2);
        t = fmax(sqrt(freedom) * sinh(asinh(t / sqrt(freedom)) + step), 0);
        if (fabs(step) < 1e-14)
            break;
    }
    return t;
}

/* Return the t with cca_student(t, freedom) = p, 0 < p < 1; NaN for other p. */
static inline double cca_student_quantile(double p, double freedom)
{
    if (!(p > 0 && p < 1) || !(freedom > 0))
        return NAN;
    if (p == .5)
        return 0;
    return p < .5 ? -cca_student_above(p, freedom) : cca_student_above(1 - p, freedom);
}

/* Return the success probability of a trial for which `held` or fewer of `count` trials
 * succeed with the given probability; held < count. */
static inline double cca_share_bound(double held, double count, double probability)
{
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;

        if (cca_beta(count - held, held + 1, 1 - p, p) > probability)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

/* Compute Clopper and Pearson's interval of a share, when `held` of `count` trials
 * succeeded (Biometrika 26, 1934, 404). If the success probability is the lower bound,
 * `held` or more trials succeed with probability (1 - level) / 2; if it is the upper
 * bound, `held` or fewer do. Without trials the interval is 0 to 1. */
static inline void cca_share_interval(double held, double count, double level,
                                      double *low, double *high)
{
    double tail = (1 - level) / 2;

    *low = held > 0 ? cca_share_bound(held - 1, count, 1 - tail) : 0;
    *high = held < count ? cca_share_bound(held, count, tail) : 1;
}

#endif
