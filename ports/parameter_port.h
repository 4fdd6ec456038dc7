/* SPDX-License-Identifier: BSD-3-Clause */
/* parameter_port.h: the parameters of one instance by name (CCA's ParameterPort).
 *
 * The framework serves it for every instance whose class declares parameters, under the
 * provides-port name `config`. Values travel as text, as scripts write them; what a value
 * must be is in the class descriptor. */
#ifndef PORTS_PARAMETER_PORT_H
#define PORTS_PARAMETER_PORT_H

#include "ports/cca_port.h"

#define PARAMETER_PORT_TYPE "cca.ParameterPort/1"

struct cca_param_decl;

struct parameter_port {
    struct cca_port base;

    /* Number of parameters, and the declaration of one (NULL beyond the last; borrowed
     * until the instance is destroyed). */
    size_t (*count)(struct parameter_port *self) CCA_UNMEASURED;
    const struct cca_param_decl *(*decl)(struct parameter_port *self,
                                         size_t index)CCA_UNMEASURED;

    /* Current value as text, borrowed until it is set again; NULL: no such parameter.
     * Numbers are printed so that they read back as the same value. */
    const char *(*get)(struct parameter_port *self, const char *name)CCA_UNMEASURED;

    /* Set a value. 0; -ENOENT unknown name ("did you mean" in `err`), -EINVAL not of its
     * type or not one of its choices, -ERANGE out of bounds; nothing is changed then. */
    int (*set)(struct parameter_port *self, const char *name, const char *value,
               struct cca_error *err) CCA_UNMEASURED;
};

#endif
