/* SPDX-License-Identifier: BSD-3-Clause */
/* abstract_framework_port.h: the framework as an object (CCA's AbstractFramework):
 * further assemblies, apart from the one that a component is in. A class uses a port of
 * this type; the framework connects it. framework/framework.h has what is done with them.
 */
#ifndef PORTS_ABSTRACT_FRAMEWORK_PORT_H
#define PORTS_ABSTRACT_FRAMEWORK_PORT_H

#include "ports/cca_port.h"

#define ABSTRACT_FRAMEWORK_PORT_TYPE "cca.AbstractFramework/1"

struct cca_framework;
struct cca_services;
struct cca_typemap;

struct abstract_framework_port {
    struct cca_port base;

    /* createEmptyFramework: a framework of its own with no instances, but the same path
     * and options, as cca_framework_new_empty. The caller's, until shutdown. NULL with
     * `err`. Its assembly may be changed at any time, also by listeners and while the
     * caller is being made. */
    struct cca_framework *(*create_empty)(struct abstract_framework_port *self,
                                          struct cca_error *err)CCA_UNMEASURED;
    /* getServices and releaseServices in such a framework, or, with NULL, in the one that
     * the caller is in: the caller's code becomes one more instance of the class name
     * given; see cca_framework_get_services. Borrowed until it is released. */
    struct cca_services *(*get_services)(struct abstract_framework_port *self,
                                         struct cca_framework *framework,
                                         const char *name, const char *class_name,
                                         const struct cca_typemap *properties,
                                         struct cca_error *err)CCA_UNMEASURED;
    int (*release_services)(struct abstract_framework_port *self,
                            struct cca_services *services,
                            struct cca_error *err) CCA_UNMEASURED;
    /* shutdownFramework of one that create_empty has made. NULL is fine. */
    void (*shutdown)(struct abstract_framework_port *self,
                     struct cca_framework *framework) CCA_UNMEASURED;
};

#endif
