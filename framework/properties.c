/* SPDX-License-Identifier: BSD-3-Clause */
/* properties.c: properties of instances and of ports by name, and their values as text. */
#include "framework/properties.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "framework/assembly.h"

/* --- Where they are ------------------------------------------------------------------- */

struct cca_typemap *cca_framework_properties(struct cca_framework *framework,
                                             const char *instance, struct cca_error *err)
{
    struct cca_error own = {0};
    struct cca_services *found = cca_framework_find(framework, instance, err ? err : &own);

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
    struct cca_services *found = cca_framework_find(framework, instance, e);
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
    cca_error_raise(e, -ENOENT, CCA_EXCEPTION_PORT_NOT_DEFINED,
                    "'%s' has no port '%s'%s", instance, port,
                    cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

/* --- Text ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum cca_type type;
} types[] = {{"Int", CCA_INT},       {"Long", CCA_LONG}, {"Double", CCA_DOUBLE},
             {"String", CCA_STRING}, {"Bool", CCA_BOOL}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

const char *cca_property_type_name(enum cca_type type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type)
            return types[i].name;
    return NULL;
}

enum cca_type cca_property_type(const char *name, struct cca_error *err)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    cca_error_set(err, -EINVAL,
                  "'%s' is no type of a property; expected Int, Long, Double, String or "
                  "Bool",
                  name);
    return CCA_NONE;
}

static int put(struct cca_typemap *map, const char *key, enum cca_type type,
               const struct cca_param *value, const char *text)
{
    switch (type) {
    case CCA_INT:
        return cca_typemap_put_int(map, key, (int)value->value.i);
    case CCA_LONG:
        return cca_typemap_put_long(map, key, value->value.i);
    case CCA_DOUBLE:
        return cca_typemap_put_double(map, key, value->value.d);
    case CCA_BOOL:
        return cca_typemap_put_bool(map, key, value->value.i != 0);
    default:
        return cca_typemap_put_string(map, key, text);
    }
}

int cca_property_put(struct cca_typemap *map, const char *key, enum cca_type type,
                     const char *text, struct cca_error *err)
{
    enum cca_type held = cca_typemap_type_of(map, key);
    struct cca_param value = {.text = NULL};
    int status = cca_param_read(type, text, &value);

    if (status == -ENOMEM)
        return cca_no_memory(err);
    if (status < 0)
        return cca_error_raise(err, status, CCA_EXCEPTION_BAD_PROPERTIES,
                               "'%s' is no value of type %s", text,
                               cca_property_type_name(type));
    status = put(map, key, type, &value, text);
    if (status == -EEXIST)
        return cca_error_raise(err, status, CCA_EXCEPTION_BAD_PROPERTIES,
                               "property '%s' is of type %s, found a value of type %s",
                               key, cca_property_type_name(held),
                               cca_property_type_name(type));
    if (status == -EINVAL)
        return cca_error_raise(err, status, CCA_EXCEPTION_BAD_PROPERTIES,
                               "the name of a property is empty");
    return status ? cca_no_memory(err) : 0;
}

char *cca_property_text(const struct cca_typemap *map, const char *key)
{
    enum cca_type type = cca_typemap_type_of(map, key);
    struct cca_param value = {.text = NULL};

    switch (type) {
    case CCA_INT:
        value.value.i = cca_typemap_get_int(map, key, 0);
        break;
    case CCA_LONG:
        value.value.i = cca_typemap_get_long(map, key, 0);
        break;
    case CCA_DOUBLE:
        value.value.d = cca_typemap_get_double(map, key, 0);
        break;
    case CCA_BOOL:
        value.value.i = cca_typemap_get_bool(map, key, 0);
        break;
    default:
        break;
    }
    return cca_param_write(type, &value, cca_typemap_get_string(map, key, ""));
}
