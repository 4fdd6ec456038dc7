/* SPDX-License-Identifier: BSD-3-Clause */
/* script_override.h: the options --set and --class, which override a script. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_OVERRIDE_H
#define FRAMEWORK_SCRIPT_SCRIPT_OVERRIDE_H

#include <stddef.h>

#include "ports/cca_error.h"

struct cca_script;

/* A value for a parameter, or a class for an instance. */
struct cca_script_override {
    char *text;        /* as given: "driver.config.nx=64", "flux=EFMFlux" */
    char *instance;    /* owns `port` and `name`, too */
    char *port, *name; /* of the parameter; NULL: a class */
    const char *value; /* inside `text`: the value, or the class */
    int met;           /* the script has made its instance */
    int settled;       /* the parameter was set, or its mistake was reported */
};

struct cca_script_overrides {
    struct cca_script_override *items;
    size_t count, classes; /* all; those for classes */
};

void cca_script_overrides_done(struct cca_script_overrides *overrides);

/* The class for the instance that an `instantiate` command makes, or NULL. Borrowed. */
struct cca_script_override *cca_script_class_override(struct cca_script *script,
                                                      char **words, size_t count);
/* The value for a parameter, or NULL. Borrowed. */
struct cca_script_override *cca_script_parameter_override(struct cca_script *script,
                                                          const char *instance,
                                                          const char *port,
                                                          const char *name);

/* An instance has been made, or `ghost`, could not be made: set its parameters. Returns
 * enum cca_exit, with `err` unless CCA_EXIT_DONE. */
int cca_script_override_instance(struct cca_script *script, const char *instance,
                                 int ghost, struct cca_error *err);
/* Before a go: set the parameters that their components have added since. As above. */
int cca_script_override_late(struct cca_script *script, struct cca_error *err);
/* Set the parameter of `override`, which a command names. As above. */
int cca_script_override_set(struct cca_script *script,
                            struct cca_script_override *override, struct cca_error *err);

/* Name the option in `err`, after a failure. Returns enum cca_exit. */
int cca_script_override_failed(const struct cca_script_override *override,
                               struct cca_error *err);
/* For `debug`, and for a person who types: note that the command is overridden. */
void cca_script_override_note(struct cca_script *script,
                              const struct cca_script_override *override);

#endif
