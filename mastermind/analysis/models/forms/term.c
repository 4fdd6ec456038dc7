/* SPDX-License-Identifier: BSD-3-Clause */
/* term.c: the family of one-parameter terms. */
#include "mastermind/analysis/models/forms/term.h"

#include <math.h>
#include <stdio.h>

/* Exponents of usual algorithms: areas, volumes, surfaces of volumes, sorting,
 * transforms. Unusual ones have a price, so that only clear data choose them. */
const struct mm_term mm_terms[] = {
    {1, 1, 0, 0},    {2, 1, 0, .5},   {1, 1, 1, .5},   {0, 1, 1, .5},   {3, 1, 0, .5},
    {1, 2, 0, .5},   {3, 2, 0, .5},   {1, 3, 0, 1},    {2, 3, 0, 1},    {4, 3, 0, 1},
    {5, 3, 0, 1},    {5, 2, 0, 1},    {1, 4, 0, 1.5},  {3, 4, 0, 1.5},  {5, 4, 0, 1.5},
    {7, 4, 0, 1.5},  {9, 4, 0, 1.5},  {11, 4, 0, 1.5}, {4, 5, 0, 1.5},  {7, 3, 0, 1.5},
    {8, 3, 0, 1.5},  {0, 1, 2, 1},    {1, 1, 2, 1},    {2, 1, 1, 1},    {2, 1, 2, 1.5},
    {3, 1, 1, 1.5},  {1, 2, 1, 1},    {1, 2, 2, 1.5},  {3, 2, 1, 1.5},  {3, 2, 2, 1.5},
    {1, 4, 1, 1.5},  {3, 4, 1, 1.5},  {1, 3, 1, 1.5},  {2, 3, 1, 1.5},  {4, 3, 1, 1.5},
    {5, 4, 1, 1.5},  {5, 2, 1, 1.5},  {-1, 1, 0, 1},   {-2, 1, 0, 1.5}, {-1, 2, 0, 1.5},
    {-1, 3, 0, 1.5}, {-2, 3, 0, 1.5},
};
const size_t mm_term_count = sizeof mm_terms / sizeof *mm_terms;

int mm_term_defined(const struct mm_term *term, double low, double high)
{
    if (!isfinite(low) || !isfinite(high) || low < 0 || (term->logs && low < 1) ||
        (term->numerator < 0 && low <= 0))
        return 0;
    return isfinite(mm_term_value(term, high)) && isfinite(mm_term_value(term, low));
}

double mm_term_value(const struct mm_term *term, double x)
{
    double value = 1;

    if (term->denominator == 1) {
        for (int i = 0; i < term->numerator; i++)
            value *= x;
        for (int i = 0; i > term->numerator; i--)
            value /= x;
    } else if (term->denominator == 2 && term->numerator == 1) {
        value = sqrt(x);
    } else {
        value = pow(x, (double)term->numerator / term->denominator);
    }
    for (int i = 0; i < term->logs; i++)
        value *= log2(x);
    return value;
}

int mm_term_print(const struct mm_term *term, const char *x, char *text, size_t size)
{
    char power[160] = "", logs[160] = "";

    if (term->denominator != 1)
        snprintf(power, sizeof power, "%s^(%d/%d)", x, term->numerator,
                 term->denominator);
    else if (term->numerator != 0 && term->numerator != 1)
        snprintf(power, sizeof power, "%s^%d", x, term->numerator);
    else if (term->numerator == 1)
        snprintf(power, sizeof power, "%s", x);
    if (term->logs == 1)
        snprintf(logs, sizeof logs, "log2(%s)", x);
    else if (term->logs)
        snprintf(logs, sizeof logs, "log2(%s)^%d", x, term->logs);
    return snprintf(text, size, "%s%s%s", power, *power && *logs ? " * " : "", logs);
}
