/* SPDX-License-Identifier: BSD-3-Clause */
/* find.c: find instances by name, and guard the commands that change the assembly. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdarg.h>

struct cca_instance *cca_framework_find(struct cca_framework *framework, const char *name,
                                        struct cca_error *err)
{
    struct cca_instance *found = cca_table_find(&framework->names, name);
    struct cca_nearest nearest;
    char hint[CCA_HINT_SIZE];

    if (!found)
        found = cca_table_find(&framework->hidden_names, name);
    if (found || !err)
        return found;
    cca_nearest_init(&nearest, name);
    for (struct cca_link *link = cca_list_first(&framework->visible); link;
         link = cca_list_next(&framework->visible, link))
        cca_nearest_offer(&nearest, cca_instance_of_visible(link)->name);
    cca_error_set(err, -ENOENT, "no instance '%s'%s", name,
                  cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

int cca_change_begin(struct cca_framework *framework, const char *command,
                     struct cca_error *err)
{
    if (framework->changing)
        return cca_error_set(
            err, -EBUSY,
            "'%s' inside '%s': a listener or a component that is being made "
            "may not change the assembly",
            command, framework->changing);
    framework->changing = command;
    return 0;
}

void cca_change_end(struct cca_framework *framework)
{
    framework->changing = NULL;
    framework->patience_s = 0;
}

int cca_component_failed(struct cca_error *err, int code, const struct cca_error *inner,
                         const char *format, ...)
{
    char what[300];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (code >= 0) /* the component's error code is a positive number of its own */
        code = inner->code < 0 ? inner->code : -ECANCELED;
    return cca_error_raise(err, code, CCA_EXCEPTION_UNEXPECTED, "%s%s%s", what,
                           inner->text[0] ? ": " : "", inner->text);
}
