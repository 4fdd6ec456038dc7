/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.c: commands that make and break connections by name. */
#include "framework/assembly/assembly.h"

#include <errno.h>

int cca_timeout_check(double timeout_s, struct cca_error *err)
{
    return timeout_s >= 0
               ? 0
               : cca_error_set(err, -EINVAL, "a timeout is 0 or more seconds, found %g",
                               timeout_s);
}

/* Find both ends of a connection by name. */
static int find_ends(struct cca_framework *framework, const char *user,
                     const char *uses_port, const char *provider,
                     const char *provides_port, struct cca_socket *ends[2],
                     struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_instance *from = cca_framework_find(framework, user, e);
    struct cca_instance *to = from ? cca_framework_find(framework, provider, e) : NULL;

    if (!to)
        return -ENOENT;
    ends[0] = cca_socket_get(from, 1, uses_port, e);
    ends[1] = ends[0] ? cca_socket_get(to, 0, provides_port, e) : NULL;
    if (!ends[1])
        return -ENOENT;
    if (from->hidden || to->hidden)
        return cca_error_set(err, -EPERM,
                             "'%s' was made by the framework for its interposers",
                             from->hidden ? user : provider);
    return 0;
}

int cca_framework_connect(struct cca_framework *framework, const char *user,
                          const char *uses_port, const char *provider,
                          const char *provides_port, struct cca_error *err)
{
    struct cca_socket *ends[2];
    int status =
        find_ends(framework, user, uses_port, provider, provides_port, ends, err);

    if (!status)
        status = cca_change_begin(framework, "connect", err);
    if (status)
        return status;
    status = cca_connection_make(ends[0], ends[1], CCA_WRITTEN, err);
    cca_change_end(framework);
    return status;
}

/* Find a connection by name. */
static int find_connection(struct cca_framework *framework, const char *user,
                           const char *uses_port, const char *provider,
                           const char *provides_port, struct cca_connection **connection,
                           struct cca_error *err)
{
    struct cca_socket *ends[2];
    int status =
        find_ends(framework, user, uses_port, provider, provides_port, ends, err);

    for (size_t i = 0; !status && i < ends[0]->count; i++)
        if (ends[0]->connections[i]->provider == ends[1]) {
            *connection = ends[0]->connections[i];
            return 0;
        }
    return status ? status
                  : cca_error_raise(
                        err, -ENOTCONN, CCA_EXCEPTION_PORT_NOT_CONNECTED,
                        "uses port '%s' of '%s' is not connected to '%s' of '%s'",
                        uses_port, user, provides_port, provider);
}

int cca_framework_disconnect(struct cca_framework *framework, const char *user,
                             const char *uses_port, const char *provider,
                             const char *provides_port, struct cca_error *err)
{
    return cca_framework_disconnect_within(framework, user, uses_port, provider,
                                           provides_port, 0, err);
}

int cca_framework_disconnect_within(struct cca_framework *framework, const char *user,
                                    const char *uses_port, const char *provider,
                                    const char *provides_port, double timeout_s,
                                    struct cca_error *err)
{
    struct cca_connection *connection;
    int status = find_connection(framework, user, uses_port, provider, provides_port,
                                 &connection, err);

    if (!status)
        status = cca_timeout_check(timeout_s, err);
    if (!status)
        status = cca_change_begin(framework, "disconnect", err);
    if (status)
        return status;
    framework->patience_s = timeout_s;
    status = cca_connection_may_break(connection, err);
    if (!status)
        status = cca_connection_cut(connection, err);
    cca_change_end(framework);
    return status;
}

int cca_framework_disconnect_all(struct cca_framework *framework, const char *one,
                                 const char *other, double timeout_s,
                                 struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_instance *first = cca_framework_find(framework, one, e);
    struct cca_instance *second = first ? cca_framework_find(framework, other, e) : NULL;
    int status = second ? cca_timeout_check(timeout_s, e) : -ENOENT;

    if (!status && (first->hidden || second->hidden))
        status =
            cca_error_set(e, -EPERM, "'%s' was made by the framework for its interposers",
                          first->hidden ? one : other);
    if (!status)
        status = cca_change_begin(framework, "disconnect", e);
    if (status)
        return status;
    framework->patience_s = timeout_s;
    status = cca_instances_part(first, second, e);
    cca_change_end(framework);
    return status;
}

struct cca_typemap *
cca_framework_connection_properties(struct cca_framework *framework, const char *user,
                                    const char *uses_port, const char *provider,
                                    const char *provides_port, struct cca_error *err)
{
    struct cca_connection *connection;

    if (find_connection(framework, user, uses_port, provider, provides_port, &connection,
                        err))
        return NULL;
    if (!connection->properties)
        connection->properties = cca_typemap_new();
    if (!connection->properties)
        cca_no_memory(err);
    return connection->properties;
}
