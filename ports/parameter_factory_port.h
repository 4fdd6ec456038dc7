/* SPDX-License-Identifier: BSD-3-Clause */
/* parameter_factory_port.h: parameters that a component decides on while it runs (CCA's
 * ParameterPortFactory), and being told when parameters are read and set. A class uses a
 * port of this type; the framework connects it. Parameters that are known beforehand are
 * better declared in the class descriptor: tools see those without running the component.
 *
 * `port` is the name of a provides port of the caller: `config`, which the framework
 * serves for declared parameters, or one that `create` has made; for others -ENOENT. All
 * functions are for the thread that runs the framework. */
#ifndef PORTS_PARAMETER_FACTORY_PORT_H
#define PORTS_PARAMETER_FACTORY_PORT_H

#include "ports/cca_port.h"

#define PARAMETER_FACTORY_PORT_TYPE "cca.ParameterPortFactory/1"

struct cca_param_decl;
struct cca_typemap;

/* Told before parameters of `port` are counted or read, so that it can bring them up to
 * date (ParameterGetListener). What it reads itself is read without telling it. */
typedef void (*parameter_get_listener)(void *context, const char *port);

/* Told that parameter `name` of `port` has been set to `value` (ParameterSetListener).
 * Returns 0; or a negative errno, with `err` set, to refuse it: the old value is put
 * back, those that have been told are told of it, and the command that wanted to set it
 * fails. */
typedef int (*parameter_set_listener)(void *context, const char *port, const char *name,
                                      const char *value, struct cca_error *err);

struct parameter_factory_port {
    struct cca_port base;

    /* createParameterPort and addParameterPort: add a provides port of
     * PARAMETER_PORT_TYPE, with no parameters yet. Errors as
     * cca_services_add_provides_port. It goes with cca_services_remove_provides_port or
     * with the instance. */
    int (*create)(struct parameter_factory_port *self, const char *port,
                  struct cca_error *err) CCA_UNMEASURED;
    /* setBatchTitle: the property `title` of the port. setGroupName: requests from now on
     * are in that group, where they name none themselves; NULL: in none. 0, -ENOENT,
     * -ENOMEM. */
    int (*set_title)(struct parameter_factory_port *self, const char *port,
                     const char *title, struct cca_error *err) CCA_UNMEASURED;
    int (*set_group)(struct parameter_factory_port *self, const char *port,
                     const char *group, struct cca_error *err) CCA_UNMEASURED;

    /* addRequestBoolean, -Int, -Long, -Float, -Double, -String, addStringChoices: one
     * parameter more, with its default, bounds and choices; `decl` is copied. 0; -ENOENT;
     * -EINVAL, -ERANGE what is wrong with the declaration or its default; -ENOMEM.
     * Nothing is added then. */
    int (*add_request)(struct parameter_factory_port *self, const char *port,
                       const struct cca_param_decl *decl,
                       struct cca_error *err) CCA_UNMEASURED;
    /* clearRequests: forget the parameters of a port that `create` has made. 0, -ENOENT.
     */
    int (*clear_requests)(struct parameter_factory_port *self, const char *port,
                          struct cca_error *err) CCA_UNMEASURED;

    /* readConfigurationMap: put all current values into `map`, each by its type. 0;
     * -ENOENT; -EEXIST a key is there with another type; -ENOMEM. */
    int (*read)(struct parameter_factory_port *self, const char *port,
                struct cca_typemap *map, struct cca_error *err) CCA_UNMEASURED;

    /* registerUpdater, registerUpdatedListener, and back. In the order added. 0, -ENOENT,
     * -ENOMEM, -EINVAL no function. */
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
