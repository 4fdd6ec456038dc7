/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: print values as JSON on standard output. */
#include <stdio.h>
#include <stdlib.h>

#include "framework/base/json.h"
#include "framework/cmd/cmd.h"

void ccafe_json_string(const char *value)
{
    cca_json_put_string(stdout, value);
}

/* Print the shortest text that reads back as the same number. */
void ccafe_json_number(const char *key, double value)
{
    char number[40];

    snprintf(number, sizeof number, "%.15g", value);
    if (strtod(number, NULL) != value)
        snprintf(number, sizeof number, "%.17g", value);
    printf(", \"%s\": %s", key, number);
}

/* Print ,"key":"value"; nothing if the value is NULL. */
void ccafe_json_member(const char *key, const char *value)
{
    if (!value)
        return;
    printf(", \"%s\": ", key);
    ccafe_json_string(value);
}
