/* SPDX-License-Identifier: BSD-3-Clause */
/* script_override.h: the options --set and --class, which override a script. */
#ifndef FRAMEWORK_SCRIPT_SCRIPT_OVERRIDE_H
#define FRAMEWORK_SCRIPT_SCRIPT_OVERRIDE_H

#include <stddef.h>

#include "ports/cca_error.h"

struct cca_script;

/* A value for a parameter, or a class for an instance. */
struct cca_script_override {
    char *text;        /* text of the option: "driver.config.nx=64", "flux=EFMFlux" */
    char *instance;    /* name of the instance, in one memory block with `port` and
                        * `name` */
    char *port, *name; /* port and name of the parameter; NULL: an override of a class */
    /* value for the parameter, or name of the class; points into `text` */
    const char *value;
    int met;     /* true if the script has created the instance */
    int settled; /* true if the parameter was set, or its mistake was reported */
};

struct cca_script_overrides {
    struct cca_script_override *items;
    size_t count, classes; /* number of overrides; number of overrides for classes */
};

void cca_script_overrides_done(struct cca_script_overrides *overrides);

/* Return the override for the class in an `instantiate` command, or NULL. Borrowed.
 */
struct cca_script_override *cca_script_class_override(struct cca_script *script,
                                                      char **words, size_t count);
/* Return the override for a parameter, or NULL. Borrowed. */
struct cca_script_override *cca_script_parameter_override(struct cca_script *script,
                                                          const char *instance,
                                                          const char *port,
                                                          const char *name);

/* After an instance was created, or (`ghost`) could not be created: set its parameters.
 * Returns enum cca_exit, with `err` unless CCA_EXIT_DONE. */
int cca_script_override_instance(struct cca_script *script, const char *instance,
                                 int ghost, struct cca_error *err);
/* Before a call of a Go port: set the parameters that components have added since their
 * creation. Returns like cca_script_override_instance. */
int cca_script_override_late(struct cca_script *script, struct cca_error *err);
/* Set the parameter of `override` when a command sets it. Returns like
 * cca_script_override_instance. */
int cca_script_override_set(struct cca_script *script,
                            struct cca_script_override *override, struct cca_error *err);

/* Add the option's name to `err`, after a failure. Returns enum cca_exit. */
int cca_script_override_failed(const struct cca_script_override *override,
                               struct cca_error *err);
/* For `debug`, and for commands typed at a terminal: print that the command is
 * overridden. */
void cca_script_override_note(struct cca_script *script,
                              const struct cca_script_override *override);

#endif
