/* SPDX-License-Identifier: BSD-3-Clause */
/* script_facts.h: what the run was given: the variables that its scripts have used, and
 * the parameters that they or options have set. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_FACTS_H
#define FRAMEWORK_SCRIPT_SCRIPT_FACTS_H

#include <stddef.h>

#include "framework/base/table.h"
#include "ports/cca_error.h"

struct cca_script;

struct cca_script_setting {
    char *value; /* NULL: its instance was removed */
    char key[];  /* "instance.port.name" */
};

struct cca_script_settings {
    struct cca_script_setting **items; /* in the order of the first command */
    size_t count;
    struct cca_table by_key;
};

/* The value of a variable of the script, else of the environment, or NULL. */
const char *cca_script_variable(struct cca_script *script, const char *name);

void cca_script_settings_done(struct cca_script_settings *settings);

/* A parameter has been set to `value`: keep what it is now. Returns enum cca_exit. */
int cca_script_was_set(struct cca_script *script, const char *instance, const char *port,
                       const char *name, const char *value, struct cca_error *err);
/* `instance` may have been removed, NULL: any: drop the parameters of those that have. */
void cca_script_forget_removed(struct cca_script *script, const char *instance);
/* Before a go: give components the variables used and the parameters set, as properties
 * of the framework, "variables" and "set": JSON objects of strings. Returns enum
 * cca_exit. */
int cca_script_publish(struct cca_script *script, struct cca_error *err);

#endif
