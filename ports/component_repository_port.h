/* SPDX-License-Identifier: BSD-3-Clause */
/* component_repository_port.h: the classes that instances can be created from (CCA's
 * ComponentRepository, with Ccaffeine's appendRepositoryPath and loadRepositoryClass). A
 * class uses a port of this type; the framework connects it. Call all functions in the
 * thread that runs the framework. */
#ifndef PORTS_COMPONENT_REPOSITORY_PORT_H
#define PORTS_COMPONENT_REPOSITORY_PORT_H

#include "ports/cca_port.h"

#define COMPONENT_REPOSITORY_PORT_TYPE "cca.ComponentRepository/1"

struct cca_class;

/* One class (ComponentClassDescription). Borrowed for the life of the framework. */
struct component_class {
    const struct cca_class *cls; /* descriptor as read from the file: its functions are
                                  * NULL */
    const char *file;            /* path of the class's shared object */
    const char *build_id;        /* build id of the shared object, hexadecimal */
    int loaded;                  /* true if the class's code is loaded in this process */
};

struct component_repository_port {
    struct cca_port base;

    /* getAvailableComponentClasses: get the class with index `index`, in order of name,
     * among the classes on the current path. Returns 0, or -ENOENT beyond the last. */
    int (*available)(struct component_repository_port *self, size_t index,
                     struct component_class *item) CCA_UNMEASURED;
    /* Find the class with a name. Returns 0, or -ENOENT with the nearest name in `err`.
     */
    int (*find)(struct component_repository_port *self, const char *name,
                struct component_class *item, struct cca_error *err) CCA_UNMEASURED;
    /* appendRepositoryPath: append the directory `dir` to the search path. Returns 0;
     * -ENOENT, -ENOTDIR; -EPERM: other users can write to it; -ENOMEM. */
    int (*append_path)(struct component_repository_port *self, const char *dir,
                       struct cca_error *err) CCA_UNMEASURED;
    /* loadRepositoryClass: load the code of a class now; with `global` != 0 libraries
     * that are loaded later see its symbols. Returns 0, also if it is loaded already;
     * -ENOENT; -ENOSYS in a dry run; another negative errno if its file is unusable. */
    int (*load)(struct component_repository_port *self, const char *name, int global,
                struct cca_error *err) CCA_UNMEASURED;
};

#endif
