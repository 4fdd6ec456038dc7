/* SPDX-License-Identifier: BSD-3-Clause */
/* number.c: parse numbers in fields of CSV files. */
#include "mastermind/csv/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A decimal number: digits * 10^exponent. */
struct decimal {
    uint64_t digits; /* all digits as an integer, if there are at most 19 */
    int digit_count; /* number of digits without leading zeros */
    int exponent;    /* power of ten by which the digits are multiplied */
    int negative;
};

static const char *take_digits(const char *at, const char *end, struct decimal *d,
                               int fraction)
{
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (d->digit_count || *at != '0') {
            if (++d->digit_count <= 19)
                d->digits = 10 * d->digits + (uint64_t)(*at - '0');
        }
        d->exponent -= fraction;
    }
    return at;
}

/* Parse the exponent of a number after an e; NULL: there is no exponent. */
static const char *take_exponent(const char *at, const char *end, struct decimal *d)
{
    int negative = 0, value = 0;

    if (at < end && (*at == '+' || *at == '-'))
        negative = *at++ == '-';
    if (at == end || *at < '0' || *at > '9')
        return NULL;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (value < 100000)
            value = 10 * value + (*at - '0');
    d->exponent += negative ? -value : value;
    return at;
}

/* Parse [+-] digits [. digits] [e [+-] digits]; refuse other text. */
static int read_decimal(const struct mm_csv_field *field, struct decimal *d)
{
    const char *at = field->at, *end = at + field->length, *digits;
    size_t count;

    *d = (struct decimal){0};
    if (at < end && (*at == '+' || *at == '-'))
        d->negative = *at++ == '-';
    digits = at;
    at = take_digits(at, end, d, 0);
    count = (size_t)(at - digits);
    if (at < end && *at == '.') {
        digits = ++at;
        at = take_digits(at, end, d, 1);
        count += (size_t)(at - digits);
    }
    if (at && count && at < end && (*at == 'e' || *at == 'E'))
        at = take_exponent(at + 1, end, d);
    return count && at == end;
}

/* Convert a field to a double by strtod. Digits after the 1,000th cannot change a
 * double. */
static double convert_slowly(const struct mm_csv_field *field)
{
    char stack[128], *text = stack;
    double value;

    if (field->length >= sizeof stack && !(text = malloc(field->length + 1)))
        return NAN;
    memcpy(text, field->at, field->length);
    text[field->length] = '\0';
    value = strtod(text, NULL);
    if (text != stack)
        free(text);
    return value;
}

/* Convert a decimal number to the nearest double. Integers of up to 15 digits, and powers
 * of ten up to 10^22, are exact doubles, so that one operation with its rounding gives
 * the nearest double. */
static double convert(const struct mm_csv_field *field, const struct decimal *d)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = (double)d->digits;

    if (d->digit_count > 15 || d->exponent < -22 || d->exponent > 22)
        return convert_slowly(field);
    value = d->exponent < 0 ? value / tens[-d->exponent] : value * tens[d->exponent];
    return d->negative ? -value : value;
}

int mm_csv_number(const struct mm_csv_field *field, double *value)
{
    struct decimal d;

    if (!read_decimal(field, &d))
        return 0;
    *value = convert(field, &d);
    return isfinite(*value);
}

int mm_csv_integer(const struct mm_csv_field *field, int64_t *value)
{
    struct decimal d;
    double real;

    if (!read_decimal(field, &d))
        return 0;
    if (!d.exponent && d.digit_count <= 19 && d.digits <= INT64_MAX) {
        *value = d.negative ? -(int64_t)d.digits : (int64_t)d.digits;
        return 1;
    }
    real = convert(field, &d);
    if (!(fabs(real) <= 0x1p53) || real != floor(real))
        return 0;
    *value = (int64_t)real;
    return 1;
}
