/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c: error messages and exit codes. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/cmd/cmd.h"

int act_refuse(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("activity: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int act_complain(const struct cca_error *err)
{
    switch (err->code) {
    case -EINVAL:
    case -ENOENT:
    case -ENOTSUP:
    case -ENOEXEC: /* the compiler refuses C code in the model */
        return act_refuse(ACT_EXIT_INPUT, "%s", err->text);
    case -EDOM:
    case -ELOOP:
        return act_refuse(ACT_EXIT_FAULT, "%s", err->text);
    default:
        return act_refuse(ACT_EXIT_SYSTEM, "%s", err->text);
    }
}

int act_check_sets(const struct cca_given *sets)
{
    for (int i = 0; i < sets->given; i++)
        if (!strchr(sets->values[i], '='))
            return act_refuse(ACT_EXIT_MISUSE,
                              "found '%.60s' for --set, expected NAME=VALUE",
                              sets->values[i]);
    return -1;
}

int act_set_globals(struct act_model *model, const struct cca_given *sets,
                    struct cca_error *err)
{
    int rc = 0;

    for (int i = 0; i < sets->given && !rc; i++) {
        const char *text = sets->values[i], *equals = strchr(text, '=');
        char *name = strndup(text, (size_t)(equals - text));

        rc = name ? act_model_set(model, name, equals + 1, err) : cca_no_memory(err);
        free(name);
    }
    return rc;
}

int act_finish_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return act_refuse(ACT_EXIT_SYSTEM, "standard output: %s",
                      strerror(errno ? errno : EIO));
}
