/* SPDX-License-Identifier: BSD-3-Clause */
/* given_instances.c: derive wiring.json of a given experiment from its methods. */
#include "mastermind/writer/parts.h"

#include "mastermind/writer/json_file.h"

#include <errno.h>

static json_t *instance_new(const struct monitor_method_decl *decl)
{
    return json_pack("{s:o, s:o, s:s, s:s, s:o, s:[], s:[], s:[], s:{}}", "name",
                     mm_json_text(decl->instance), "class",
                     mm_json_text(decl->class_name), "summary", "", "file", "",
                     "build_id", mm_json_text(decl->build_id), "uses", "parameters",
                     "qualities", "ports");
}

/* Names of a method's instance and port as UTF-8, because names in wiring.json and
 * methods.json must agree. */
struct names {
    json_t *instance, *class_name, *port, *type;
};

static int add_names(struct mm_given_instances *instances, const struct names *n,
                     const struct monitor_method_decl *decl)
{
    const char *name = json_string_value(n->instance);
    json_t *instance = json_object_get(instances->by_name, name);

    if (!instance) {
        if (json_object_set_new(instances->by_name, name, instance_new(decl)))
            return -ENOMEM;
        instance = json_object_get(instances->by_name, name);
    }
    if (!json_equal(json_object_get(instance, "class"), n->class_name) &&
        json_object_set_new(instance, "class", json_null()))
        return -ENOMEM;
    return json_object_set(json_object_get(instance, "ports"), json_string_value(n->port),
                           n->type)
               ? -ENOMEM
               : 0;
}

int mm_given_instances_add(struct mm_given_instances *instances,
                           const struct monitor_method_decl *decl)
{
    const struct names n = {mm_json_text(decl->instance), mm_json_text(decl->class_name),
                            mm_json_text(decl->port), mm_json_text(decl->port_type)};
    int result = -ENOMEM;

    if (!instances->by_name)
        instances->by_name = json_object();
    if (instances->by_name && n.instance && n.class_name && n.port && n.type)
        result = add_names(instances, &n, decl);
    json_decref(n.instance);
    json_decref(n.class_name);
    json_decref(n.port);
    json_decref(n.type);
    return result;
}

/* Turn the member "ports" of an instance into the array "provides". */
static int set_provides(json_t *instance)
{
    json_t *provides = json_array(), *type;
    const char *name;

    json_object_foreach(json_object_get(instance, "ports"), name, type) provides =
        provides ? mm_json_append(provides,
                                  json_pack("{s:s, s:O}", "name", name, "type", type))
                 : NULL;
    json_object_del(instance, "ports");
    return json_object_set_new(instance, "provides", provides) ? -ENOMEM : 0;
}

json_t *mm_given_instances_wiring(struct mm_given_instances *instances)
{
    json_t *array = json_array(), *instance;
    const char *name;

    json_object_foreach(instances->by_name, name, instance)
    {
        if (json_is_null(json_object_get(instance, "class")))
            continue;
        if (set_provides(instance))
            array = mm_json_append(array, NULL);
        else if (array)
            array = mm_json_append(array, json_incref(instance));
    }
    mm_given_instances_done(instances);
    return json_pack("{s:i, s:o, s:[], s:[]}", "format", 1, "instances", array,
                     "connections", "gos");
}

void mm_given_instances_done(struct mm_given_instances *instances)
{
    json_decref(instances->by_name);
    instances->by_name = NULL;
}
