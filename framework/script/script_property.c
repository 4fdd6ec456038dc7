/* SPDX-License-Identifier: BSD-3-Clause */
/* script_property.c: the commands `property` and `port-property`. Several properties are
 * printed in the form of commands that set them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/assembly/properties.h"
#include "framework/script/script_core.h"

/* True for properties that were fixed when the port was created. */
static int is_fixed(const char *key)
{
    static const char *const fixed[] = {"cca.portName", "cca.portType", "MIN_CONNECTIONS",
                                        "MAX_CONNECTIONS"};

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i], key) == 0)
            return 1;
    return 0;
}

/* Print one property of a port, or of the instance if `port` is NULL, in the form of the
 * command that sets it. */
static int say_property(struct cca_script *script, const char *instance, const char *port,
                        const struct cca_typemap *map, const char *key,
                        struct cca_error *err)
{
    const char *type = cca_property_type_name(cca_typemap_type_of(map, key));
    char *value = cca_property_text(map, key);

    if (!value)
        return cca_script_outcome(-ENOMEM, err);
    if (!type || (port ? is_fixed(key) : cca_typemap_type_of(map, key) != CCA_STRING))
        cca_script_say(script, "# ");
    if (port)
        cca_script_say(script, "port-property %s %s ", instance, port);
    else
        cca_script_say(script, "property %s ", instance);
    cca_script_say_word(script, key);
    if (port)
        cca_script_say(script, " %s", type ? type : "?");
    cca_script_say(script, " ");
    cca_script_say_word(script, value);
    cca_script_say(script, "\n");
    free(value);
    return CCA_EXIT_DONE;
}

static int say_all(struct cca_script *script, const char *instance, const char *port,
                   const struct cca_typemap *map, struct cca_error *err)
{
    const char *key;
    int status = CCA_EXIT_DONE;

    for (size_t i = 0; status == CCA_EXIT_DONE && (key = cca_typemap_key(map, i)); i++)
        status = say_property(script, instance, port, map, key, err);
    return status;
}

int cca_script_say_properties(struct cca_script *script, const char *instance,
                              struct cca_error *err)
{
    struct cca_typemap *map = cca_framework_properties(script->framework, instance, err);

    return map ? say_all(script, instance, NULL, map, err)
               : cca_script_outcome(err->code, err);
}

/* Print only the value of one property. In a dry run the component's own properties are
 * unknown. */
static int say_one(struct cca_script *script, const char *owner,
                   const struct cca_typemap *map, const char *key, struct cca_error *err)
{
    char *value;

    if (cca_typemap_type_of(map, key) == CCA_NONE)
        return script->options.check
                   ? CCA_EXIT_DONE
                   : cca_script_bad(err, "'%s' has no property '%s'", owner, key);
    value = cca_property_text(map, key);
    if (!value)
        return cca_script_outcome(-ENOMEM, err);
    cca_script_say(script, "%s\n", value);
    free(value);
    return CCA_EXIT_DONE;
}

static int put_property(struct cca_typemap *map, enum cca_type type, const char *key,
                        char **words, size_t from, size_t count, struct cca_error *err)
{
    char *value = cca_script_join(words, from, count);
    int status = value ? cca_property_put(map, key, type, value, err) : -ENOMEM;

    free(value);
    return cca_script_outcome(status, err);
}

int cca_script_property(struct cca_script *script, char **words, size_t count,
                        struct cca_error *err)
{
    struct cca_typemap *map = cca_framework_properties(script->framework, words[1], err);

    if (!map)
        return cca_script_outcome(err->code, err);
    if (count == 2)
        return say_all(script, words[1], NULL, map, err);
    if (count == 3)
        return say_one(script, words[1], map, words[2], err);
    return put_property(map, CCA_STRING, words[2], words, 3, count, err);
}

int cca_script_port_property(struct cca_script *script, char **words, size_t count,
                             struct cca_error *err)
{
    struct cca_typemap *map;
    enum cca_type type;

    map = cca_framework_port_properties(script->framework, words[1], words[2], err);
    if (!map)
        return cca_script_outcome(err->code, err);
    if (count == 3)
        return say_all(script, words[1], words[2], map, err);
    if (count == 4)
        return say_one(script, words[2], map, words[3], err);
    if (count == 5)
        return cca_script_bad(err, "property '%s' has no value; expected KEY TYPE VALUE",
                              words[3]);
    type = cca_property_type(words[4], err);
    if (type == CCA_NONE)
        return CCA_EXIT_BAD_INPUT;
    if (is_fixed(words[3]))
        return cca_script_bad(err, "property '%s' of port '%s' is fixed by the class",
                              words[3], words[2]);
    return put_property(map, type, words[3], words, 5, count, err);
}
