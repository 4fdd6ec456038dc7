/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: a property of a component. For the files of this folder. */
#ifndef PROPERTIES_PLUGIN_PARTS_H
#define PROPERTIES_PLUGIN_PARTS_H

#include "properties/plugin/host.h"
#include "properties/words/property.h"

struct mm_plugin {
    struct mm_property_code code;
    char *file, *class_name, *port;
    char **needs;
    size_t need_count;
    int trust;
    char *fault; /* reason why the component is not called any more; NULL: it is usable */
};

/* ask.c: implement struct mm_property_code. */
int mm_plugin_evaluate(struct mm_property_code *self, struct mm_property_answers *answers,
                       struct mm_store *store, const struct mm_property *property,
                       const struct mm_property_question *question,
                       struct cca_error *err);
int mm_plugin_lint(struct mm_property_code *self, struct mm_store *store,
                   const struct mm_property *property, struct cca_error *err);

/* "component CLASS (file.so): WHAT", new; NULL: out of memory. */
char *mm_plugin_blame(const struct mm_plugin *plugin, const char *what);

#endif
