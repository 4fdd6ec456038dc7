/* SPDX-License-Identifier: BSD-3-Clause */
/* value.c: convert values from and to text.
 *
 * Numbers are read and printed in the C locale, whatever the program's locale is. */
#include "framework/base/base.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 40 };

static int parse_integer(const char *text, enum cca_type type, int64_t *value)
{
    char *end;
    long long number;

    if (*text != '-' && *text != '+' && (*text < '0' || *text > '9'))
        return -EINVAL; /* strtoll would skip blanks */
    errno = 0;
    /* decimal, or 0x...; a leading zero is not octal */
    number = strtoll(text, &end, (text[strspn(text, "+-0")] | 32) == 'x' ? 16 : 10);
    if (end == text || *end)
        return -EINVAL;
    if (errno == ERANGE || (type == CCA_INT && (number < INT_MIN || number > INT_MAX)))
        return -ERANGE;
    *value = number;
    return 0;
}

/* Read a real number. `single`: round the text to the nearest float, which is not always
 * the float nearest to the rounded double. */
static int parse_double(const char *text, int single, double *value)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end;
    double number;

    if (!c)
        return -ENOMEM;
    number = single ? (double)strtof_l(text, &end, c) : strtod_l(text, &end, c);
    freelocale(c);
    if (end == text || *end || *text == ' ' || (*text >= '\t' && *text <= '\r') ||
        isnan(number))
        return -EINVAL;
    if (isinf(number)) /* the number is too large, or is the word "inf" */
        return strpbrk(text, "0123456789") ? -ERANGE : -EINVAL;
    *value = number;
    return 0;
}

static int parse_bool(const char *text, int64_t *value)
{
    static const char *const words[2][4] = {{"false", "no", "off", "0"},
                                            {"true", "yes", "on", "1"}};

    for (size_t i = 0; i < 8; i++)
        if (!strcmp(text, words[i / 4][i % 4])) {
            *value = (int64_t)(i / 4);
            return 0;
        }
    return -EINVAL;
}

/* Print the shortest of a few forms that is read back as the same double or, if `single`,
 * float. */
static int print_double(double value, int single, char text[NUMBER_TEXT])
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old;
    double back;

    if (!c)
        return -ENOMEM;
    old = uselocale(c);
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        back = single ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (!memcmp(&back, &value, sizeof back))
            break;
    }
    uselocale(old);
    freelocale(c);
    return 0;
}

int cca_param_read(enum cca_type type, const char *text, struct cca_param *param)
{
    switch (type) {
    case CCA_INT:
    case CCA_LONG:
        return parse_integer(text, type, &param->value.i);
    case CCA_FLOAT:
    case CCA_DOUBLE:
        return parse_double(text, type == CCA_FLOAT, &param->value.d);
    case CCA_BOOL:
        return parse_bool(text, &param->value.i);
    default:
        return 0;
    }
}

char *cca_param_write(enum cca_type type, const struct cca_param *param, const char *text)
{
    char number[NUMBER_TEXT];

    if (type == CCA_STRING)
        return strdup(text);
    if (type == CCA_BOOL)
        return strdup(param->value.i ? "true" : "false");
    if (type != CCA_DOUBLE && type != CCA_FLOAT)
        snprintf(number, sizeof number, "%" PRId64, param->value.i);
    else if (print_double(param->value.d, type == CCA_FLOAT, number))
        return NULL;
    return strdup(number);
}
