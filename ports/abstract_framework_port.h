/* SPDX-License-Identifier: BSD-3-Clause */
/* abstract_framework_port.h: create further frameworks, each with an assembly of its own
 * (CCA's AbstractFramework). A class uses a port of this type; the framework connects it.
 * The functions for the new frameworks are in framework/framework.h. */
#ifndef PORTS_ABSTRACT_FRAMEWORK_PORT_H
#define PORTS_ABSTRACT_FRAMEWORK_PORT_H

#include "ports/cca_port.h"

#define ABSTRACT_FRAMEWORK_PORT_TYPE "cca.AbstractFramework/1"

struct cca_framework;
struct cca_services;
struct cca_typemap;

struct abstract_framework_port {
    struct cca_port base;

    /* createEmptyFramework: make a framework without instances, with the path and options
     * of the caller's framework, like cca_framework_new_empty. Returns NULL with `err` on
     * failure. The caller owns it and ends it with `shutdown`. Its assembly may be
     * changed at any time, also by listeners and while the caller is being created. */
    struct cca_framework *(*create_empty)(struct abstract_framework_port *self,
                                          struct cca_error *err)CCA_UNMEASURED;
    /* getServices and releaseServices in a framework that create_empty has made or, with
     * NULL, in the caller's own: they make the calling code an instance, of class
     * `class_name`; see cca_framework_get_services. The services are borrowed until they
     * are released. */
    struct cca_services *(*get_services)(struct abstract_framework_port *self,
                                         struct cca_framework *framework,
                                         const char *name, const char *class_name,
                                         const struct cca_typemap *properties,
                                         struct cca_error *err)CCA_UNMEASURED;
    int (*release_services)(struct abstract_framework_port *self,
                            struct cca_services *services,
                            struct cca_error *err) CCA_UNMEASURED;
    /* shutdownFramework: end a framework that create_empty has made. NULL is allowed. */
    void (*shutdown)(struct abstract_framework_port *self,
                     struct cca_framework *framework) CCA_UNMEASURED;
};

#endif
