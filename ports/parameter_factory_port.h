/* SPDX-License-Identifier: BSD-3-Clause */
/* parameter_factory_port.h: parameters that a component adds while it runs (CCA's
 * ParameterPortFactory), and listeners for reading and setting of parameters. A class
 * uses a port of this type; the framework connects it. Parameters that are known
 * beforehand belong in the class descriptor, where tools see them without running the
 * component.
 *
 * `port` is the name of a provides port of the caller: `config`, which the framework
 * serves for declared parameters, or a port that `create` has made; for other ports the
 * functions return -ENOENT. Call all functions in the thread that runs the framework. */
#ifndef PORTS_PARAMETER_FACTORY_PORT_H
#define PORTS_PARAMETER_FACTORY_PORT_H

#include "ports/cca_port.h"

#define PARAMETER_FACTORY_PORT_TYPE "cca.ParameterPortFactory/1"

struct cca_param_decl;
struct cca_typemap;

/* Listener that is called before parameters of `port` are counted or read, so that it can
 * update them (ParameterGetListener). It is not called for reads that it makes itself. */
typedef void (*parameter_get_listener)(void *context, const char *port);

/* Listener that is called after parameter `name` of `port` was set to `value`
 * (ParameterSetListener). Returns 0; or a negative errno, with `err` set, to refuse the
 * value: the old value is restored, listeners that were called before are called with it,
 * and the command that set the value fails. */
typedef int (*parameter_set_listener)(void *context, const char *port, const char *name,
                                      const char *value, struct cca_error *err);

struct parameter_factory_port {
    struct cca_port base;

    /* createParameterPort and addParameterPort: add a provides port of
     * PARAMETER_PORT_TYPE without parameters. Returns like
     * cca_services_add_provides_port. The port is removed by
     * cca_services_remove_provides_port or with the instance. */
    int (*create)(struct parameter_factory_port *self, const char *port,
                  struct cca_error *err) CCA_UNMEASURED;
    /* setBatchTitle: set the property `title` of the port. setGroupName: parameters that
     * are added later belong to group `group` unless they name a group themselves; NULL:
     * no group. Each returns 0, -ENOENT or -ENOMEM. */
    int (*set_title)(struct parameter_factory_port *self, const char *port,
                     const char *title, struct cca_error *err) CCA_UNMEASURED;
    int (*set_group)(struct parameter_factory_port *self, const char *port,
                     const char *group, struct cca_error *err) CCA_UNMEASURED;

    /* addRequestBoolean, -Int, -Long, -Float, -Double, -String, addStringChoices: add one
     * parameter with default, bounds and choices; `decl` is copied. Returns 0; -ENOENT;
     * -EINVAL, -ERANGE for a wrong declaration or default; -ENOMEM. On an error nothing
     * is added. */
    int (*add_request)(struct parameter_factory_port *self, const char *port,
                       const struct cca_param_decl *decl,
                       struct cca_error *err) CCA_UNMEASURED;
    /* clearRequests: remove the parameters of a port that `create` has made. Returns 0,
     * -ENOENT. */
    int (*clear_requests)(struct parameter_factory_port *self, const char *port,
                          struct cca_error *err) CCA_UNMEASURED;

    /* readConfigurationMap: copy all current values into `map`, each with its type.
     * Returns 0; -ENOENT; -EEXIST: `map` has a key with another type; -ENOMEM. */
    int (*read)(struct parameter_factory_port *self, const char *port,
                struct cca_typemap *map, struct cca_error *err) CCA_UNMEASURED;

    /* registerUpdater, registerUpdatedListener, and their removal. Listeners are called
     * in the order in which they were added. Each function returns 0, -ENOENT, -ENOMEM,
     * or -EINVAL if an argument is NULL. */
    int (*add_get_listener)(struct parameter_factory_port *self, const char *port,
                            parameter_get_listener listener,
                            void *context) CCA_UNMEASURED;
    int (*remove_get_listener)(struct parameter_factory_port *self, const char *port,
                               parameter_get_listener listener,
                               void *context) CCA_UNMEASURED;
    int (*add_set_listener)(struct parameter_factory_port *self, const char *port,
                            parameter_set_listener listener,
                            void *context) CCA_UNMEASURED;
    int (*remove_set_listener)(struct parameter_factory_port *self, const char *port,
                               parameter_set_listener listener,
                               void *context) CCA_UNMEASURED;
};

#endif
