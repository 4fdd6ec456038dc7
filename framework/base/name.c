/* SPDX-License-Identifier: BSD-3-Clause */
/* name.c: check names of instances, ports and parameters. */
#include "framework/base/base.h"

#include <string.h>

int cca_name_valid(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = name ? strlen(name) : 0;

    return length > 0 && length <= CCA_NAME_LONGEST && strspn(name, letters) == length;
}
