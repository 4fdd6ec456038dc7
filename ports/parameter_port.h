/* SPDX-License-Identifier: BSD-3-Clause */
/* parameter_port.h: the parameters of one instance by name (CCA's ParameterPort).
 *
 * The framework provides it as the port `config` of every instance whose class declares
 * parameters. Values are passed as text, in the syntax of scripts; type, bounds and
 * choices of a value are in the class descriptor. */
#ifndef PORTS_PARAMETER_PORT_H
#define PORTS_PARAMETER_PORT_H

#include "ports/cca_port.h"

#define PARAMETER_PORT_TYPE "cca.ParameterPort/1"

struct cca_param_decl;

struct parameter_port {
    struct cca_port base;

    /* Return the number of parameters; return the declaration of a parameter by index
     * (NULL beyond the last; borrowed until the instance is destroyed). */
    size_t (*count)(struct parameter_port *self) CCA_UNMEASURED;
    const struct cca_param_decl *(*decl)(struct parameter_port *self,
                                         size_t index)CCA_UNMEASURED;

    /* Return the current value of a parameter as text, borrowed until it is set again;
     * NULL: no such parameter. Numbers are printed so that they read back as the same
     * value. */
    const char *(*get)(struct parameter_port *self, const char *name)CCA_UNMEASURED;

    /* Set a parameter to a value. Returns 0; -ENOENT: an unknown name (with the nearest
     * name in `err`); -EINVAL: a value of the wrong type, or not among the choices;
     * -ERANGE: out of bounds. On an error the value is unchanged. */
    int (*set)(struct parameter_port *self, const char *name, const char *value,
               struct cca_error *err) CCA_UNMEASURED;
};

#endif
