/* SPDX-License-Identifier: BSD-3-Clause */
/* class_check.c: check the rules for class descriptors. */
#include "framework/classes/parts.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* The class to check, and the error that reports its mistakes. */
struct mistakes {
    const struct cca_class *cls;
    struct cca_error *err;
};

static int word_is_valid(const char *word, const char *also)
{
    if (!word || !*word)
        return 0;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr(also, *word))
            return 0;
    return 1;
}

static int complain(const struct mistakes *in, const char *what, const char *name,
                    const char *problem)
{
    return cca_error_set(in->err, -EBADMSG, "class '%s': %s '%s' %s", in->cls->name, what,
                         name, problem);
}

static int check_ports(const struct mistakes *in, const struct cca_port_decl *ports,
                       const char *what)
{
    for (const struct cca_port_decl *port = ports; port && port->name; port++) {
        if (!word_is_valid(port->name, "_-"))
            return complain(in, what, port->name,
                            "has a name that scripts cannot contain");
        if (!port->type || !*port->type)
            return complain(in, what, port->name, "has no type");
        if (port->size < sizeof(struct cca_port))
            return complain(in, what, port->name, "is smaller than a port");
        if (port->min_connections < 0 || port->max_connections < 0 ||
            (port->max_connections > 0 && port->min_connections > port->max_connections))
            return complain(in, what, port->name, "has impossible connection numbers");
        for (const struct cca_port_decl *other = ports; other < port; other++)
            if (strcmp(other->name, port->name) == 0)
                return complain(in, what, port->name, "is declared twice");
    }
    return 0;
}

static int check_one_name_space(const struct mistakes *in)
{
    const struct cca_class *cls = in->cls;

    for (const struct cca_port_decl *p = cls->provides; p && p->name; p++)
        for (const struct cca_port_decl *u = cls->uses; u && u->name; u++)
            if (strcmp(p->name, u->name) == 0 && !cls->proxy_for)
                return complain(in, "port", p->name, "is both provided and used");
    return 0;
}

static int check_params(const struct mistakes *in, const struct cca_param_decl *params)
{
    for (const struct cca_param_decl *param = params; param && param->name; param++) {
        if (!word_is_valid(param->name, "_-"))
            return complain(in, "parameter", param->name,
                            "has a name that scripts cannot contain");
        switch (param->type) {
        case CCA_INT:
        case CCA_LONG:
        case CCA_FLOAT:
        case CCA_DOUBLE:
        case CCA_BOOL:
        case CCA_STRING:
            break;
        default:
            return complain(in, "parameter", param->name, "has an unknown type");
        }
        if (!param->value)
            return complain(in, "parameter", param->name, "has no default");
        for (const struct cca_param_decl *other = params; other < param; other++)
            if (strcmp(other->name, param->name) == 0)
                return complain(in, "parameter", param->name, "is declared twice");
    }
    return 0;
}

/* Check that an object of `size` bytes fits at an offset in the instance. */
static int check_place(const struct mistakes *in, const char *what, const char *name,
                       size_t offset, size_t size)
{
    size_t room = in->cls->instance_size;

    if (offset > room || size > room - offset)
        return cca_error_set(
            in->err, -EBADMSG,
            "class '%s': %s '%s' of %zu bytes at offset %zu is not inside "
            "the instance of %zu bytes",
            in->cls->name, what, name, size, offset, room);
    if (offset % _Alignof(struct cca_port))
        return cca_error_set(in->err, -EBADMSG,
                             "class '%s': %s '%s' is at offset %zu, expected a multiple "
                             "of %zu",
                             in->cls->name, what, name, offset,
                             _Alignof(struct cca_port));
    return 0;
}

static int check_overlap(const struct mistakes *in, const struct cca_port_impl *impl)
{
    const struct cca_class *cls = in->cls;
    size_t end = impl->offset + impl->port->size, services = cls->services_offset;

    if (services != CCA_NO_SERVICES && services < end &&
        impl->offset < services + sizeof(void *))
        return complain(in, "implemented port", impl->name,
                        "covers the pointer 'services'");
    for (const struct cca_port_impl *other = cls->implements; other < impl; other++) {
        if (strcmp(other->name, impl->name) == 0)
            return complain(in, "port", impl->name, "is implemented twice");
        if (other->offset < end && impl->offset < other->offset + other->port->size)
            return complain(in, "implemented port", impl->name, "covers another one");
    }
    return 0;
}

static int check_instance(const struct mistakes *in)
{
    const struct cca_class *cls = in->cls;
    int status = 0;

    if (!cls->instance_size)
        return cls->implements || cls->services_offset
                   ? cca_error_set(in->err, -EBADMSG,
                                   "class '%s' states services_offset or implements, and "
                                   "no instance_size",
                                   cls->name)
                   : 0;
    if (cls->services_offset != CCA_NO_SERVICES)
        status = check_place(in, "the pointer", "services", cls->services_offset,
                             sizeof(void *));
    for (const struct cca_port_impl *impl = cls->implements;
         status == 0 && impl && impl->name; impl++) {
        status = check_place(in, "implemented port", impl->name, impl->offset,
                             impl->port->size);
        if (status == 0)
            status = check_overlap(in, impl);
        if (status == 0 && cls->params && cls->params->name &&
            strcmp(impl->name, "config") == 0)
            status =
                complain(in, "port", impl->name,
                         "is implemented, and the framework serves it for parameters");
    }
    return status;
}

int cca_class_check(const struct cca_class *cls, struct cca_error *err)
{
    const struct mistakes mistakes = {cls, err}, *in = &mistakes;
    int status;

    if (!word_is_valid(cls->name, "_-.:"))
        return cca_error_set(err, -EBADMSG, "class name '%s' holds odd characters",
                             cls->name);
    status = check_ports(in, cls->provides, "provides port");

    if (status == 0)
        status = check_ports(in, cls->uses, "uses port");
    if (status == 0)
        status = check_one_name_space(in);
    if (status == 0)
        status = check_instance(in);
    return status < 0 ? status : check_params(in, cls->params);
}
