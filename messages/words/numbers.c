/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.c: convert decimal numbers in the C locale: the sampled program may use another
 * locale, with a decimal comma. */
#include "messages/words/parts.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

const char *mm_number_whole(const char *text, uint64_t most, uint64_t *value)
{
    size_t length = strspn(text, digits);
    uint64_t sum = 0;

    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');

        if (digit > most || sum > (most - digit) / 10)
            return NULL;
        sum = sum * 10 + digit;
    }
    if (!length)
        return NULL;
    *value = sum;
    return text + length;
}

/* Length of the number at the start of `text`; 0: none. */
static size_t real_length(const char *text)
{
    size_t whole = strspn(text, digits), length = whole, fraction = 0, exponent;

    if (text[length] == '.') {
        fraction = strspn(text + length + 1, digits);
        length += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        size_t mark = length + 1;

        mark += text[mark] == '+' || text[mark] == '-';
        exponent = strspn(text + mark, digits);
        if (exponent)
            length = mark + exponent;
    }
    return length;
}

const char *mm_number_real(const char *text, double *value)
{
    char number[64];
    size_t length = real_length(text);
    locale_t c;
    double x;

    if (!length || length >= sizeof number)
        return NULL;
    memcpy(number, text, length);
    number[length] = '\0';
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return NULL;
    errno = 0;
    x = strtod_l(number, NULL, c);
    freelocale(c);
    if (errno == ERANGE || (x != 0 && !isnormal(x)))
        return NULL;
    *value = x;
    return text + length;
}

char *mm_number_text(double value, char *text, size_t size)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = uselocale(c); /* with argument 0 it returns the current locale */
    double back = -1;

    for (int precision = 1; precision <= 17 && back != value; precision++) {
        snprintf(text, size, "%.*g", precision, value);
        back = strtod(text, NULL);
    }
    uselocale(old);
    if (c != (locale_t)0)
        freelocale(c);
    return text;
}
