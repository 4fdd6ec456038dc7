/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c: check a file of dispatch rules. */
#include "framework/assembly/rules.h"

#include <errno.h>

#include "mastermind/cmd/cmd.h"

int mm_rules_check(const char *path, char port_type[MM_PORT_TYPE])
{
    struct cca_rules rules = {0};
    struct cca_error err = {0};
    int status = cca_rules_read(&rules, path, "", &err);

    if (!status && port_type)
        snprintf(port_type, MM_PORT_TYPE, "%s", rules.port_type);
    if (!status && rules.limit > 0)
        status =
            cca_error_set(&err, -ENOTSUP, "%s: learn is for proxies of components", path);
    cca_rules_done(&rules);
    return status ? mm_refuse(MM_EXIT_INPUT, "%s", err.text) : 0;
}
