/* SPDX-License-Identifier: BSD-3-Clause */
/* component_repository_port.h: the classes that instances can be made of (CCA's
 * ComponentRepository, with Ccaffeine's appendRepositoryPath and loadRepositoryClass). A
 * class uses a port of this type; the framework connects it. All functions are for the
 * thread that runs the framework. */
#ifndef PORTS_COMPONENT_REPOSITORY_PORT_H
#define PORTS_COMPONENT_REPOSITORY_PORT_H

#include "ports/cca_port.h"

#define COMPONENT_REPOSITORY_PORT_TYPE "cca.ComponentRepository/1"

struct cca_class;

/* One class (ComponentClassDescription). Borrowed for the life of the framework. */
struct component_class {
    const struct cca_class *cls; /* as it is in the file: its functions are NULL */
    const char *file;            /* its shared object */
    const char *build_id;        /* of that, hexadecimal */
    int loaded;                  /* its code is in this process */
};

struct component_repository_port {
    struct cca_port base;

    /* getAvailableComponentClasses: class number `index`, in order of name, as the path
     * is now; all of them from 0 until -ENOENT. */
    int (*available)(struct component_repository_port *self, size_t index,
                     struct component_class *item) CCA_UNMEASURED;
    /* The class of a name. 0; -ENOENT, with what it may be meant to be in `err`. */
    int (*find)(struct component_repository_port *self, const char *name,
                struct component_class *item, struct cca_error *err) CCA_UNMEASURED;
    /* appendRepositoryPath: look in the directory `dir`, too, after those that are known.
     * 0; -ENOENT, -ENOTDIR, -EPERM: others could have written there; -ENOMEM. */
    int (*append_path)(struct component_repository_port *self, const char *dir,
                       struct cca_error *err) CCA_UNMEASURED;
    /* loadRepositoryClass: load the class's code now; with `global` not 0 libraries that
     * are loaded later see its symbols. 0, also where it is loaded; -ENOENT; -ENOSYS in a
     * dry run; what else is wrong with its file. */
    int (*load)(struct component_repository_port *self, const char *name, int global,
                struct cca_error *err) CCA_UNMEASURED;
};

#endif
