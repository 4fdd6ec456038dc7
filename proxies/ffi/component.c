/* SPDX-License-Identifier: BSD-3-Clause */
/* component.c: the class FfiProxy: a proxy, created at run time without a compiler, for
 * any port type with a describe document (TYPE.describe.json) on the component path. */
#include "framework/cca.h"
#include "proxies/ffi/call.h"
#include "proxies/ffi/description.h"
#include "proxies/ffi/table.h"
#include "proxies/proxy.h"

struct fproxy {
    struct proxy_link link;
    struct proxy_state state;
    struct fproxy_pool pool;
    struct pg_port *port;          /* the port type */
    struct fproxy_method *methods; /* methods of the proxy, one for each of
                                    * port->methods */
    size_t method_count;
};

/* Attach the proxy to a target. A method that is NULL in the target becomes NULL in the
 * proxy, too. */
static void attach_target(struct proxy_state *state)
{
    struct fproxy *proxy = cca_container_of(state, struct fproxy, state);
    static void *const none = NULL;

    for (size_t i = 0; i < proxy->method_count; i++) {
        const struct fproxy_method *method = &proxy->methods[i];
        const char *target = proxy->link.target;
        char *slot = (char *)proxy->state.port + method->offset;

        memcpy(slot, &method->code, sizeof method->code);
        if (target && memcmp(target + method->offset, &none, sizeof none) == 0)
            memcpy(slot, &none, sizeof none);
    }
}

/* Check that the description is of a struct that consists of the base and its methods. */
static int check_port(const struct pg_port *port, const struct cca_fronted *fronted,
                      struct cca_error *err)
{
    size_t at = sizeof(struct cca_port);

    if (strcmp(port->type, fronted->type) != 0)
        return cca_error_set(err, -ENOTSUP, "%.150s describes %.60s, expected %.60s",
                             fronted->description, port->type, fronted->type);
    if (port->size != fronted->size)
        return cca_error_set(
            err, -ENOTSUP,
            "%.150s describes a port of %zu bytes, that of '%.60s' has %zu",
            fronted->description, port->size, fronted->instance, fronted->size);
    for (size_t i = 0; i < port->method_count; i++, at += sizeof(void *))
        if (port->methods[i].offset != at)
            return cca_error_set(
                err, -ENOTSUP, "%.150s: method '%.60s' at byte %zu, expected %zu",
                fronted->description, port->methods[i].name, port->methods[i].offset, at);
    return at == port->size
               ? 0
               : cca_error_set(err, -ENOTSUP, "%.150s: methods up to byte %zu of %zu",
                               fronted->description, at, port->size);
}

/* Compare the hash of the signatures with the fronted port's hash; older descriptions
 * have no hash. */
static int check_signature(const struct pg_port *port,
                           const struct cca_services *services,
                           const struct cca_fronted *fronted, struct cca_error *err)
{
    const char *stated = cca_services_fronted_signature(services);

    if (!stated || !port->signature || strcmp(stated, port->signature) == 0)
        return 0;
    return cca_error_set(err, -ENOTSUP,
                         "'%s' has other prototypes of %s than %s: run proxygen "
                         "--describe and --signature on its header",
                         fronted->instance, fronted->type, fronted->description);
}

/* Make all described methods callable. */
static int build_methods(struct fproxy *proxy, struct cca_error *err)
{
    const struct pg_port *port = proxy->port;
    struct proxy_memory *memory = NULL;
    size_t measured = 0;

    if (port->memory_count &&
        !(memory = fproxy_pool_get(&proxy->pool, 1, sizeof *memory)))
        return cca_no_memory(err);

    proxy->state.table = fproxy_table_make(&proxy->pool, port);
    proxy->state.port = fproxy_pool_get(&proxy->pool, 1, port->size);
    proxy->state.methods =
        fproxy_pool_get(&proxy->pool, port->method_count, sizeof *proxy->state.methods);
    proxy->methods =
        fproxy_pool_get(&proxy->pool, port->method_count, sizeof *proxy->methods);
    if (!proxy->state.table || !proxy->state.port || !proxy->state.methods ||
        !proxy->methods)
        return cca_no_memory(err);
    for (size_t i = 0; i < port->method_count; i++) {
        struct fproxy_method *made = &proxy->methods[proxy->method_count++];
        int status;

        made->link = &proxy->link;
        made->methods = proxy->methods;
        made->memory = memory;
        made->offset = port->methods[i].offset;
        made->number = measured;
        if (!port->methods[i].unmeasured)
            made->measured = &proxy->state.methods[measured++];
        status = fproxy_method_init(made, &proxy->pool, &port->methods[i], err);
        if (status < 0)
            return status;
    }
    return 0;
}

static int register_target(struct cca_services *services,
                           const struct cca_fronted *fronted, struct cca_error *err)
{
    struct cca_typemap *properties = cca_typemap_new();
    int status = -ENOMEM;

    if (properties && cca_typemap_put_int(properties, "MIN_CONNECTIONS", 1) == 0)
        status = cca_services_register_uses_port(services, "port", fronted->type,
                                                 fronted->size, properties, err);
    else
        cca_no_memory(err);
    cca_typemap_free(properties);
    return status;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct fproxy *proxy = self;
    struct cca_fronted fronted;
    int status = cca_services_get_fronted(services, &fronted, NULL);

    proxy->state.link = &proxy->link;
    proxy->state.attach = attach_target;
    if (status == -ENOMEM)
        return cca_no_memory(err);
    if (status < 0)
        return cca_error_set(err, -ENOTSUP,
                             "FfiProxy is not wired by hand: 'insert INSTANCE PORT "
                             "FfiProxy' or --measure puts it in front of a port");
    proxy->port = fproxy_description_read(fronted.description, err);
    if (!proxy->port)
        return err->code == -ENOMEM ? -ENOMEM : -ENOTSUP;
    status = check_port(proxy->port, &fronted, err);
    if (status == 0)
        status = check_signature(proxy->port, services, &fronted, err);
    if (status == 0)
        status = build_methods(proxy, err);
    if (status == 0)
        status = register_target(services, &fronted, err);
    return status < 0 ? status : proxy_set_services(&proxy->state, services, err);
}

static void destroy(void *self)
{
    struct fproxy *proxy = self;

    for (size_t i = 0; i < proxy->method_count; i++)
        fproxy_method_done(&proxy->methods[i]);
    pg_port_free(proxy->port);
    fproxy_pool_done(&proxy->pool);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct fproxy, state.services),
    .name = "FfiProxy",
    .summary = "proxy of any port that a describe document on the path describes",
    CCA_USES({"monitor", MONITOR_PORT_TYPE, sizeof(struct monitor_port), 1, 1, 0},
             {"events", CONNECTION_EVENT_PORT_TYPE, sizeof(struct connection_event_port),
              0, 1, 0}),
    .proxy_for = "*.describe.json",
    .flags = CCA_DYNAMIC_PORTS,
    .set_services = set_services,
    .destroy = destroy,
};
