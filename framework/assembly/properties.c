/* SPDX-License-Identifier: BSD-3-Clause */
/* properties.c: properties of instances and of ports by name. */

#include <errno.h>

#include "framework/assembly/assembly.h"

struct cca_typemap *cca_framework_properties(struct cca_framework *framework,
                                             const char *instance, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_instance *found =
        cca_framework_find(framework, instance, err ? err : &own);

    if (found && !found->properties)
        found->properties = cca_typemap_new();
    if (found && !found->properties)
        cca_no_memory(err);
    return found ? found->properties : NULL;
}

struct cca_typemap *cca_framework_port_properties(struct cca_framework *framework,
                                                  const char *instance, const char *port,
                                                  struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_instance *found = cca_framework_find(framework, instance, e);
    struct cca_socket *socket = found ? cca_socket_find(found, port) : NULL;
    struct cca_nearest nearest;
    char hint[CCA_HINT_SIZE];

    if (found && !socket && framework->options.dry &&
        (found->cls->flags & CCA_DYNAMIC_PORTS))
        socket = cca_socket_get(found, 1, port, e);
    if (socket || !found)
        return socket ? socket->properties : NULL;
    cca_nearest_init(&nearest, port);
    for (size_t i = 0; i < found->socket_count; i++)
        cca_nearest_offer(&nearest, found->sockets[i]->name);
    cca_error_raise(e, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED, "'%s' has no port '%s'%s",
                    instance, port, cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}
