/* SPDX-License-Identifier: BSD-3-Clause */
/* script_check.c: handle results and mistakes of commands, and report each mistake once.
 *
 * An instance that could not be created is a ghost: later commands may name it. A uses
 * port whose connection was a mistake is doubtful: it is not reported again as
 * unconnected. */
#include <errno.h>
#include <string.h>

#include "common/nearest.h"
#include "framework/script/script_core.h"

/* Print one line; control characters become '?'. */
static void print_complaint(struct cca_script *script, const char *text)
{
    FILE *words = script->options.words;

    fprintf(words, "%s:%d: ", script->file, script->line);
    cca_script_put_printable(words, text);
    putc('\n', words);
    fflush(words);
}

/* Handle the result of a command, or of a line that is no command; only this function
 * decides whether the script continues. Ranks agree here, so that no rank enters a
 * collective call that another one will never make. */
int cca_script_settle(struct cca_script *script, int status, const struct cca_error *err)
{
    int goes_on = cca_script_goes_on(script) && err->code != -ENOMEM;

    if (status != CCA_EXIT_DONE && !err->code)
        return status; /* the result was already reported, at its line in the sourced file
                        */
    if (script->cohort) {
        int together;

        status = cca_script_agree_on_result(script, status, err->text, &together);
        goes_on = goes_on && together;
    } else if (status == CCA_EXIT_MISUSE ||
               (status != CCA_EXIT_DONE && !script->options.only_overrides)) {
        print_complaint(script, err->text);
    }
    if (status == CCA_EXIT_DONE)
        return CCA_EXIT_DONE;
    script->mistakes++;
    script->misuses += status == CCA_EXIT_MISUSE;
    script->unread |= status == CCA_EXIT_IO_OR_MEMORY;
    if (!script->failure)
        script->failure = status;
    return goes_on ? CCA_EXIT_DONE : status;
}

int cca_script_is_ghost(const struct cca_script *script, const char *instance)
{
    return cca_script_pairs_find(&script->ghosts, instance, NULL) != NULL;
}

int cca_script_find_instance(struct cca_script *script, const char *name,
                             struct builder_instance *found)
{
    for (size_t i = 0; script->builder->instance(script->builder, i, 0, found) == 0; i++)
        if (strcmp(found->name, name) == 0)
            return 1;
    return 0;
}

int cca_script_has_instance(struct cca_script *script, const char *instance)
{
    struct builder_instance found;

    return cca_script_find_instance(script, instance, &found);
}

void cca_script_default_name(struct cca_script *script, const char *class_name,
                             char *name, size_t size)
{
    int number = 0;

    do
        snprintf(name, size, "%.250s%d", cca_class_leaf(class_name), number++);
    while (cca_script_is_ghost(script, name) || cca_script_has_instance(script, name));
}

/* Return `port` if an instance has a port of this name, else the nearest name of its
 * ports. */
static const char *likely_port(struct cca_script *script, const char *instance,
                               const char *port, int uses)
{
    struct builder_port *builder = script->builder;
    const char *name, *type;
    struct cca_nearest nearest;

    cca_nearest_init(&nearest, port);
    for (size_t i = 0; (uses ? builder->used_port : builder->provided_port)(
                           builder, instance, i, &name, &type) == 0;
         i++) {
        if (strcmp(name, port) == 0)
            return name;
        cca_nearest_offer(&nearest, name);
    }
    return nearest.best;
}

int cca_script_class_may_exist(const struct cca_script *script, const char *name)
{
    return script->path_is_wrong && cca_script_presumes(script) &&
           !script->options.interactive &&
           !(name && cca_repository_find(script->repository, name));
}

int cca_script_doubt(struct cca_script *script, const char *instance, const char *port)
{
    struct builder_instance found;
    struct cca_nearest nearest;
    const char *likely;

    if (!cca_script_find_instance(script, instance, &found)) {
        cca_nearest_init(&nearest, instance);
        for (size_t i = 0; script->builder->instance(script->builder, i, 0, &found) == 0;
             i++)
            cca_nearest_offer(&nearest, found.name);
        if (!nearest.best)
            return 0;
        instance = nearest.best;
    }
    likely = likely_port(script, instance, port, 1);
    /* if no name is near, any port may be meant: "" stands for all ports */
    return cca_script_pairs_add(&script->doubtful, instance, likely ? likely : "");
}

int cca_script_is_doubtful(const struct cca_script *script, const char *instance,
                           const char *port)
{
    return cca_script_pairs_find(&script->doubtful, instance, port) ||
           cca_script_pairs_find(&script->doubtful, instance, "");
}

int cca_script_check_port(struct cca_script *script, const char *instance,
                          const char *port, int uses, struct cca_error *err)
{
    struct builder_instance found;
    const char *likely;
    char hint[128];

    if (!cca_script_find_instance(script, instance, &found)) {
        struct cca_nearest nearest;

        cca_nearest_init(&nearest, instance);
        for (size_t i = 0; script->builder->instance(script->builder, i, 0, &found) == 0;
             i++)
            cca_nearest_offer(&nearest, found.name);
        return cca_script_bad(err, "no instance '%s'%s", instance,
                              cca_nearest_hint(nearest.best, hint, sizeof hint));
    }
    likely = likely_port(script, instance, port, uses);
    if ((likely && strcmp(likely, port) == 0) || (found.cls->flags & CCA_DYNAMIC_PORTS))
        return CCA_EXIT_DONE;
    return cca_script_bad(err, "'%s' has no %s port '%s'%s", instance,
                          uses ? "uses" : "provides", port,
                          cca_nearest_hint(likely, hint, sizeof hint));
}

/* --- Missing connections -------------------------------------------------- */

/* Add to `reached` all instances that its instances can call, until no new instance is
 * found. */
static int reach(struct cca_script *script, struct cca_script_pairs *reached)
{
    struct builder_connection link;

    for (size_t at = 0; at < reached->count; at++) {
        for (size_t i = 0; script->builder->connection(script->builder, i, &link) == 0;
             i++)
            if (strcmp(link.user, reached->items[at].name) == 0 &&
                !cca_script_pairs_find(reached, link.provider, NULL) &&
                cca_script_pairs_add(reached, link.provider, NULL) < 0)
                return -ENOMEM;
    }
    return 0;
}

static void report_missing(struct cca_script *script,
                           const struct builder_connection *item)
{
    struct cca_error err = {0};
    const char *name, *wanted = "", *type;

    for (size_t i = 0;
         script->builder->used_port(script->builder, item->user, i, &name, &type) == 0;
         i++)
        if (strcmp(name, item->uses_port) == 0)
            wanted = type;
    cca_error_raise(&err, -ENOTCONN, CCA_EXCEPTION_PORT_NOT_CONNECTED,
                    "uses port '%s' of '%s' (%s) is not connected", item->uses_port,
                    item->user, wanted);
    cca_script_settle(script, CCA_EXIT_BAD_INPUT, &err);
}

int cca_script_missing(struct cca_script *script, const char *instance)
{
    struct cca_script_pairs reached = {0};
    struct builder_connection item;
    int missing = 0, status = 0;

    if (instance) {
        status = cca_script_pairs_add(&reached, instance, NULL);
        if (status == 0)
            status = reach(script, &reached);
    }
    for (size_t i = 0;
         status == 0 && cca_framework_unconnected(script->framework, i, &item) == 0;
         i++) {
        if (instance && !cca_script_pairs_find(&reached, item.user, NULL))
            continue;
        missing++;
        if (!cca_script_presumes(script) ||
            cca_script_is_doubtful(script, item.user, item.uses_port))
            continue;
        report_missing(script, &item);
        status = cca_script_pairs_add(&script->doubtful, item.user, item.uses_port);
    }
    cca_script_pairs_done(&reached);
    return status < 0 ? status : missing;
}
