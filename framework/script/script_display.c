/* SPDX-License-Identifier: BSD-3-Clause */
/* script_display.c: print the assembly; except for `display component` as a script that
 * can be saved and run again. */
#include <stdlib.h>
#include <string.h>

#include "framework/assembly/assembly.h"
#include "framework/script/script_core.h"

int cca_script_palette(struct cca_script *script, char **words, size_t count,
                       struct cca_error *err)
{
    const struct cca_class_info *info;

    (void)words;
    (void)count;
    (void)err;
    for (size_t i = 0; (info = cca_repository_class(script->repository, i)); i++)
        if (cca_repository_loaded(script->repository, info))
            cca_script_say(script, "repository get %s\n", info->cls.name);
    return CCA_EXIT_DONE;
}

int cca_script_arena(struct cca_script *script, char **words, size_t count,
                     struct cca_error *err)
{
    struct builder_instance item;

    (void)words;
    (void)count;
    (void)err;
    for (size_t i = 0; script->builder->instance(script->builder, i, 0, &item) == 0; i++)
        cca_script_say(script, "instantiate %s %s\n", item.cls->name, item.name);
    return CCA_EXIT_DONE;
}

/* Print connections, of `instance` unless it is NULL. */
static int say_chain(struct cca_script *script, const char *instance)
{
    struct builder_connection item;

    for (size_t i = 0; script->builder->connection(script->builder, i, &item) == 0; i++)
        if (!instance || strcmp(item.user, instance) == 0 ||
            strcmp(item.provider, instance) == 0)
            cca_script_say(script, "connect %s %s %s %s\n", item.user, item.uses_port,
                           item.provider, item.provides_port);
    return CCA_EXIT_DONE;
}

int cca_script_chain(struct cca_script *script, char **words, size_t count,
                     struct cca_error *err)
{
    (void)words;
    (void)count;
    (void)err;
    return say_chain(script, NULL);
}

static void say_parameters(struct cca_script *script, const struct builder_instance *item)
{
    for (const struct cca_param_decl *param = item->cls->params; param && param->name;
         param++)
        cca_script_say_parameter(
            script, item->name, "config", param->name,
            script->builder->parameter(script->builder, item->name, param->name));
}

static int state(struct cca_script *script, char **words, size_t count,
                 struct cca_error *err)
{
    struct builder_instance item;

    cca_script_arena(script, words, count, err);
    for (size_t i = 0; script->builder->instance(script->builder, i, 0, &item) == 0;
         i++) {
        int status = cca_script_say_properties(script, item.name, err);

        if (status != CCA_EXIT_DONE)
            return status;
        say_parameters(script, &item);
    }
    return say_chain(script, NULL);
}

static void provided_ports(struct cca_script *script, const struct builder_instance *item)
{
    struct builder_port *builder = script->builder;
    const char *name, *type;

    for (size_t i = 0; builder->provided_port(builder, item->name, i, &name, &type) == 0;
         i++)
        cca_script_say(script, "provides   %-16s %s\n", name, type);
}

static void used_ports(struct cca_script *script, const struct builder_instance *item)
{
    struct builder_port *builder = script->builder;
    const char *name, *type;

    for (size_t i = 0; builder->used_port(builder, item->name, i, &name, &type) == 0;
         i++) {
        struct builder_connection link;

        cca_script_say(script, "uses       %-16s %s", name, type);
        for (size_t k = 0; builder->connection(builder, k, &link) == 0; k++)
            if (strcmp(link.user, item->name) == 0 && strcmp(link.uses_port, name) == 0)
                cca_script_say(script, ", connected to '%s' of '%s'", link.provides_port,
                               link.provider);
        cca_script_say(script, "\n");
    }
}

static int say_component(struct cca_script *script, char **words, size_t count,
                         struct cca_error *err)
{
    struct builder_instance item;

    (void)count;
    if (!cca_script_find_instance(script, words[2], &item))
        return cca_script_bad(err, "no instance '%s'", words[2]);
    cca_script_say(script, "instance   %s\nclass      %s\nfile       %s\nbuild id   %s\n",
                   item.name, item.cls->name, item.file, item.build_id);
    provided_ports(script, &item);
    used_ports(script, &item);
    for (const struct cca_param_decl *param = item.cls->params; param && param->name;
         param++)
        cca_script_say(
            script, "parameter  %-16s %s\n", param->name,
            script->builder->parameter(script->builder, item.name, param->name));
    return CCA_EXIT_DONE;
}

int cca_script_display(struct cca_script *script, char **words, size_t count,
                       struct cca_error *err)
{
    /* the first word that begins with an abbreviation is used: `display c` prints the
     * chain, as in older versions */
    static const char *const what[] = {"palette", "pallet",    "arena",
                                       "chain",   "component", "state"};
    static cca_script_action *const actions[] = {cca_script_palette, cca_script_palette,
                                                 cca_script_arena,   cca_script_chain,
                                                 say_component,      state};
    size_t length = count > 1 ? strlen(words[1]) : 0, found = 0;

    if (count == 1) {
        cca_script_palette(script, words, count, err);
        return state(script, words, count, err);
    }
    while (found < 6 && (length == 0 || strncmp(what[found], words[1], length) != 0))
        found++;
    if (found == 6)
        return cca_script_bad(err,
                              "unknown 'display %s'; expected palette, arena, chain, "
                              "component INSTANCE or state",
                              words[1]);
    if ((count == 3) != (found == 4) && !(found == 3 && count == 3) &&
        !(found != 4 && script->options.compat))
        return cca_script_bad(err, "'display %s' takes %s, found %zu argument%s",
                              what[found], found == 4 ? "one INSTANCE" : "nothing more",
                              count - 2, count == 3 ? "" : "s");
    if (found == 3 && count == 3)
        return cca_framework_find(script->framework, words[2], err)
                   ? say_chain(script, words[2])
                   : cca_script_outcome(err->code, err);
    return actions[found](script, words, count, err);
}
