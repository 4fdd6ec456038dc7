/* SPDX-License-Identifier: BSD-3-Clause */
/* script_facts.h: the inputs of a run: variables used by its scripts, and parameters set
 * by scripts or options. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_FACTS_H
#define FRAMEWORK_SCRIPT_SCRIPT_FACTS_H

#include <stddef.h>

#include "framework/base/table.h"
#include "ports/cca_error.h"

struct cca_script;

struct cca_script_setting {
    char *value; /* value of the parameter; NULL: its instance was removed */
    char key[];  /* name of the parameter, "instance.port.name" */
};

struct cca_script_settings {
    struct cca_script_setting **items; /* settings of parameters, in the order in which
                                        * commands first set them */
    size_t count;
    struct cca_table by_key;
};

/* Return the value of a variable of the script, else of the environment, or NULL. */
const char *cca_script_variable(struct cca_script *script, const char *name);

void cca_script_settings_done(struct cca_script_settings *settings);

/* Record that a parameter was set; its current value may differ from `value`. Returns
 * enum cca_exit. */
int cca_script_was_set(struct cca_script *script, const char *instance, const char *port,
                       const char *name, const char *value, struct cca_error *err);
/* Drop the recorded parameters of `instance`, which may still exist; if it is NULL, of
 * all instances that were removed. */
void cca_script_forget_removed(struct cca_script *script, const char *instance);
/* Before a call of a Go port: publish the variables that were used and the parameters
 * that were set as properties of the framework, "variables" and "set": JSON objects of
 * strings. Returns enum cca_exit. */
int cca_script_publish(struct cca_script *script, struct cca_error *err);

#endif
