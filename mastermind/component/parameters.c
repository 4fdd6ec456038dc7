/* SPDX-License-Identifier: BSD-3-Clause */
/* parameters.c: write the parameters of a run to experiment.json, the members
 * `variables`, `set` and `classes`. */
#include "mastermind/component/parts.h"

#include "mastermind/writer/json_file.h"

#include <errno.h>

/* Set the member `key` of `about`; `value` is stolen; NULL means that memory has run out.
 * Returns 1 if the member has changed, else 0; or -ENOMEM. */
static int update(json_t *about, const char *key, json_t *value)
{
    if (value && json_equal(json_object_get(about, key), value)) {
        json_decref(value);
        return 0;
    }
    return json_object_set_new(about, key, value) ? -ENOMEM : 1;
}

/* Set a member of `about` to an object of values in any encoding: bytes that are not
 * UTF-8 become U+FFFD. */
static int update_object(json_t *about, const char *key, const char *text)
{
    json_t *utf8 = text ? mm_json_text(text) : NULL, *object;

    if (!text)
        return 0;
    if (!utf8)
        return -ENOMEM;
    object = json_loads(json_string_value(utf8), 0, NULL);
    json_decref(utf8);
    if (!json_is_object(object)) {
        json_decref(object);
        return 0;
    }
    return update(about, key, object);
}

static json_t *classes_json(const json_t *assembly)
{
    json_t *classes = json_object(), *instance;
    size_t i;

    json_array_foreach(json_object_get(assembly, "instances"), i, instance)
    {
        const char *name = json_string_value(json_object_get(instance, "name"));

        if (name && json_object_set(classes, name, json_object_get(instance, "class"))) {
            json_decref(classes);
            return NULL;
        }
    }
    return classes;
}

int mm_parameters_update(json_t *about, const char *variables, const char *set,
                         const json_t *assembly)
{
    int results[] = {update_object(about, "variables", variables),
                     update_object(about, "set", set),
                     update(about, "classes", classes_json(assembly))};
    int changed = 0;

    for (int i = 0; i < 3; i++) {
        if (results[i] < 0)
            return results[i];
        changed |= results[i];
    }
    return changed;
}
