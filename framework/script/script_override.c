/* SPDX-License-Identifier: BSD-3-Clause */
/* script_override.c: the options --set and --class, which override a script.
 *
 * A parameter is set when its instance has been created, and again by each command of the
 * script that sets it. A parameter that a component adds later is set by such a command,
 * or before the next call of a Go port. */
#include "framework/script/script_override.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/nearest.h"
#include "framework/script/script_core.h"
#include "ports/parameter_factory_port.h"

/* --- The options ---------------------------------------------------------- */

static const char *option_of(const struct cca_script_override *override)
{
    return override->port ? "--set" : "--class";
}

/* Split "a.b.c" at its first dots into `parts` names. Returns 1; 0: a name is missing or
 * empty.
 */
static int split_name(char *text, char **names, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        char *dot = i + 1 < parts ? strchr(text, '.') : NULL;

        names[i] = text;
        if (!*text || *text == '.' || (i + 1 < parts && !dot))
            return 0;
        if (dot) {
            *dot = '\0';
            text = dot + 1;
        }
    }
    return !strchr(names[parts - 1], '.');
}

static void override_done(struct cca_script_override *override)
{
    free(override->text);
    free(override->instance);
}

/* Split the text into `parts` names before the '=', and the value. Returns 0, -EINVAL,
 * -ENOMEM; call override_done in any case. */
static int parse(struct cca_script_override *override, const char *text, size_t parts)
{
    const char *equals = strchr(text, '=');
    char *names[3] = {NULL};

    *override = (struct cca_script_override){.text = strdup(text)};
    override->instance = strndup(text, equals ? (size_t)(equals - text) : 0);
    if (!override->text || !override->instance)
        return -ENOMEM;
    if (!equals || !split_name(override->instance, names, parts) ||
        (parts == 1 && !equals[1]))
        return -EINVAL;
    override->port = names[1];
    override->name = names[2];
    override->value = override->text + (equals - text) + 1;
    return 0;
}

static int same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Return the override of a parameter; if `port` and `name` are NULL, the override of the
 * instance's class. */
static struct cca_script_override *find(struct cca_script_overrides *overrides,
                                        const char *instance, const char *port,
                                        const char *name)
{
    for (size_t i = 0; i < overrides->count; i++) {
        struct cca_script_override *item = &overrides->items[i];

        if (strcmp(item->instance, instance) == 0 && same_text(item->port, port) &&
            same_text(item->name, name))
            return item;
    }
    return NULL;
}

/* Add an override; it replaces an earlier override for the same name. */
static int add_override(struct cca_script *script, const char *text, size_t parts)
{
    struct cca_script_overrides *all = &script->overrides;
    struct cca_script_override parsed, *same;
    int status = parse(&parsed, text, parts);

    same = status ? NULL : find(all, parsed.instance, parsed.port, parsed.name);
    if (!status && !same &&
        cca_array_reserve(&all->items, all->count, sizeof *all->items))
        status = -ENOMEM;
    if (status) {
        override_done(&parsed);
        return status;
    }
    if (same) {
        override_done(same);
    } else {
        same = &all->items[all->count++];
        all->classes += parts == 1;
    }
    *same = parsed;
    return 0;
}

int cca_script_override_parameter(struct cca_script *script, const char *text)
{
    return add_override(script, text, 3);
}

int cca_script_override_class(struct cca_script *script, const char *text)
{
    return add_override(script, text, 1);
}

void cca_script_overrides_done(struct cca_script_overrides *overrides)
{
    for (size_t i = 0; i < overrides->count; i++)
        override_done(&overrides->items[i]);
    free(overrides->items);
    *overrides = (struct cca_script_overrides){0};
}

/* --- Finding -------------------------------------------------------------- */

/* Return the name of the instance that a command creates. */
static const char *name_of(struct cca_script *script, char **words, size_t count,
                           char *buffer, size_t size)
{
    const char *shown = words[1];
    struct cca_error unused = {0};

    if (count > 2)
        return words[2];
    if (script->options.compat)
        cca_script_class(script, words[1], &shown, &unused);
    cca_script_default_name(script, shown, buffer, size);
    return buffer;
}

struct cca_script_override *cca_script_class_override(struct cca_script *script,
                                                      char **words, size_t count)
{
    char buffer[300];

    if (!script->overrides.classes || count < 2)
        return NULL;
    return find(&script->overrides, name_of(script, words, count, buffer, sizeof buffer),
                NULL, NULL);
}

struct cca_script_override *cca_script_parameter_override(struct cca_script *script,
                                                          const char *instance,
                                                          const char *port,
                                                          const char *name)
{
    return find(&script->overrides, instance, port, name);
}

/* --- Setting -------------------------------------------------------------- */

int cca_script_override_failed(const struct cca_script_override *override,
                               struct cca_error *err)
{
    struct cca_error inner = *err;
    int status = cca_script_exit_of(&inner);

    *err = (struct cca_error){0};
    cca_error_raise(err, inner.code, inner.exception, "%s %.100s: %s",
                    option_of(override), override->text, inner.text);
    return status == CCA_EXIT_BAD_INPUT ? CCA_EXIT_MISUSE : status;
}

void cca_script_override_note(struct cca_script *script,
                              const struct cca_script_override *override)
{
    if ((!script->echo && !script->options.interactive) || script->options.check ||
        (script->cohort && script->cohort->rank != 0))
        return;
    fflush(script->options.out);
    fprintf(script->options.words, "%s:%d: %s ", script->file, script->line,
            option_of(override));
    cca_script_put_printable(script->options.words, override->text);
    fputs(" overrides this command\n", script->options.words);
}

/* True if the component can add ports or parameters that its class does not declare. */
static int may_add(struct cca_script *script, const char *instance)
{
    struct builder_instance found;
    const struct cca_port_decl *uses;

    if (!cca_script_find_instance(script, instance, &found))
        return 0;
    for (uses = found.cls->uses; uses && uses->name; uses++)
        if (strcmp(uses->type, PARAMETER_FACTORY_PORT_TYPE) == 0)
            return 1;
    return (found.cls->flags & CCA_DYNAMIC_PORTS) != 0;
}

int cca_script_override_set(struct cca_script *script,
                            struct cca_script_override *override, struct cca_error *err)
{
    int code =
        cca_framework_set_parameter(script->framework, override->instance, override->port,
                                    override->name, override->value, err);

    if (code < 0)
        cca_error_set(err, code, "%s", strerror(-code));
    override->settled = code >= 0;
    return code < 0 ? cca_script_override_failed(override, err)
                    : cca_script_was_set(script, override->instance, override->port,
                                         override->name, override->value, err);
}

/* Set a parameter that no command has set. If it does not exist yet but may be added
 * later, this is no mistake. */
static int try_to_set(struct cca_script *script, struct cca_script_override *override,
                      struct cca_error *err)
{
    struct cca_error own = {0};
    int status = cca_script_override_set(script, override, &own);

    if (status == CCA_EXIT_DONE)
        return status;
    if (own.code == -ENOENT && status == CCA_EXIT_MISUSE &&
        may_add(script, override->instance)) {
        /* in a dry run it is unknown whether the parameter exists */
        override->settled = script->options.check;
        return CCA_EXIT_DONE;
    }
    if (!script->options.check) {
        *err = own;
        return status;
    }
    override->settled = 1;
    return cca_script_settle(script, status, &own);
}

int cca_script_override_instance(struct cca_script *script, const char *instance,
                                 int ghost, struct cca_error *err)
{
    struct cca_script_overrides *all = &script->overrides;
    int status = CCA_EXIT_DONE;

    if (all->count && cca_script_pairs_add(&script->made, instance, NULL) < 0)
        return cca_script_outcome(-ENOMEM, err);
    for (size_t i = 0; i < all->count && status == CCA_EXIT_DONE; i++) {
        struct cca_script_override *item = &all->items[i];

        if (strcmp(item->instance, instance) != 0)
            continue;
        item->met = 1;
        if (ghost)
            item->settled = 1;
        else if (item->port)
            status = try_to_set(script, item, err);
    }
    return status;
}

int cca_script_override_late(struct cca_script *script, struct cca_error *err)
{
    struct cca_script_overrides *all = &script->overrides;
    int status = CCA_EXIT_DONE;

    for (size_t i = 0; i < all->count && status == CCA_EXIT_DONE; i++) {
        struct cca_script_override *item = &all->items[i];

        if (item->port && item->met && !item->settled &&
            cca_script_has_instance(script, item->instance))
            status = try_to_set(script, item, err);
    }
    return status;
}

/* --- The end -------------------------------------------------------------- */

static void report_unmet(struct cca_script *script,
                         const struct cca_script_override *override,
                         struct cca_error *err)
{
    struct cca_nearest nearest;
    char hint[128];

    cca_nearest_init(&nearest, override->instance);
    for (size_t i = 0; i < script->made.count; i++)
        cca_nearest_offer(&nearest, script->made.items[i].name);
    cca_error_set(err, -ENOENT, "%s %.100s: the script makes no instance '%s'%s",
                  option_of(override), override->text, override->instance,
                  cca_nearest_hint(nearest.best, hint, sizeof hint));
}

/* Report a parameter that was not set, and suggest the nearest current name. */
static void report_unset(struct cca_script *script,
                         const struct cca_script_override *override,
                         struct cca_error *err)
{
    const char *value;

    if (cca_script_has_instance(script, override->instance)) {
        value = cca_framework_parameter(script->framework, override->instance,
                                        override->port, override->name, err);
        if (!value && err->code) {
            cca_script_override_failed(override, err);
            return;
        }
    }
    cca_error_set(err, -ENOENT, "%s %.100s: '%s' had no parameter '%s' at any command",
                  option_of(override), override->text, override->instance,
                  override->name);
}

/* Replace control characters: the text is printed in one line. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

int cca_script_unmet(struct cca_script *script, size_t index, struct cca_error *err)
{
    int unknown = script->options.only_overrides && script->unread;

    for (size_t i = 0; i < script->overrides.count && !unknown; i++) {
        const struct cca_script_override *item = &script->overrides.items[i];

        if ((item->met && (!item->port || item->settled)) || index-- > 0)
            continue;
        if (item->met)
            report_unset(script, item, err);
        else
            report_unmet(script, item, err);
        make_printable(err->text);
        return 0;
    }
    return -ENOENT;
}
