/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: values of options as numbers. */
#include <math.h>
#include <stdlib.h>

#include "mastermind/cmd/cmd.h"

int mm_option_number(const struct cca_given *option, double least, double *value)
{
    char *end;

    if (!option->given)
        return -1;
    *value = strtod(cca_given_value(option), &end);
    if (end == cca_given_value(option) || *end || !(*value >= least))
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a number of at least %g",
                         mm_safe(cca_given_value(option)), option->name, least);
    return -1;
}

int mm_option_count(const struct cca_given *option, double least, double *value)
{
    int result = mm_option_number(option, least, value);

    if (result >= 0 || !option->given || *value == floor(*value))
        return result;
    return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected a whole number",
                     mm_safe(cca_given_value(option)), option->name);
}
