/* SPDX-License-Identifier: BSD-3-Clause */
/* script_facts.c: the inputs of a run: variables used by its scripts, and parameters set
 * by scripts or options. */
#include "framework/script/script_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "framework/base/json.h"
#include "framework/script/script_core.h"

/* --- Variables ------------------------------------------------------------ */

static void mark_used(struct cca_script *script, const struct cca_script_pair *variable)
{
    if (variable->used)
        return;
    script->variables.items[variable - script->variables.items].used = 1;
    script->facts_are_new = 1;
}

const char *cca_script_variable(struct cca_script *script, const char *name)
{
    const struct cca_script_pair *found =
        cca_script_pairs_find(&script->variables, name, NULL);
    const char *value;

    if (found) {
        mark_used(script, found);
        return found->value;
    }
    value = getenv(name);
    found = value ? NULL : cca_script_pairs_find(&script->own_variables, name, NULL);
    return found ? found->value : value;
}

/* --- Parameters ----------------------------------------------------------- */

/* Append a setting without value, or return NULL. */
static struct cca_script_setting *add_setting(struct cca_script_settings *settings,
                                              const char *key)
{
    struct cca_script_setting *setting;

    if (cca_array_reserve(&settings->items, settings->count, sizeof *settings->items))
        return NULL;
    setting = malloc(sizeof *setting + strlen(key) + 1);
    if (!setting)
        return NULL;
    setting->value = NULL;
    strcpy(setting->key, key);
    if (cca_table_put(&settings->by_key, setting->key, setting)) {
        free(setting);
        return NULL;
    }
    settings->items[settings->count++] = setting;
    return setting;
}

static int keep(struct cca_script_settings *settings, const char *key, const char *value)
{
    struct cca_script_setting *setting = cca_table_find(&settings->by_key, key);
    char *copy = strdup(value);

    if (copy && !setting)
        setting = add_setting(settings, key);
    if (!copy || !setting) {
        free(copy);
        return -ENOMEM;
    }
    free(setting->value);
    setting->value = copy;
    return 0;
}

int cca_script_was_set(struct cca_script *script, const char *instance, const char *port,
                       const char *name, const char *value, struct cca_error *err)
{
    const char *kept;
    char *key;
    int code;

    if (script->options.check)
        return CCA_EXIT_DONE;
    kept = cca_framework_parameter(script->framework, instance, port, name, NULL);
    if (asprintf(&key, "%s.%s.%s", instance, port, name) < 0)
        return cca_script_outcome(-ENOMEM, err);
    code = keep(&script->settings, key, kept ? kept : value);
    free(key);
    script->facts_are_new = 1;
    return cca_script_outcome(code, err);
}

/* True if the setting's instance is `instance`; if this is NULL, true if the setting's
 * instance does not exist any more. */
static int is_to_drop(struct cca_script *script, const struct cca_script_setting *setting,
                      const char *instance)
{
    size_t length = strcspn(setting->key, ".");
    struct builder_instance item;

    if (instance)
        return strlen(instance) == length && strncmp(setting->key, instance, length) == 0;
    for (size_t i = 0; script->builder->instance(script->builder, i, 0, &item) == 0; i++)
        if (strlen(item.name) == length && strncmp(setting->key, item.name, length) == 0)
            return 0;
    return 1;
}

void cca_script_forget_removed(struct cca_script *script, const char *instance)
{
    struct cca_script_settings *all = &script->settings;

    if (instance && cca_script_has_instance(script, instance))
        return;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->items[i]->value || !is_to_drop(script, all->items[i], instance))
            continue;
        free(all->items[i]->value);
        all->items[i]->value = NULL;
        script->facts_are_new = 1;
    }
}

void cca_script_settings_done(struct cca_script_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->items[i]->value);
        free(settings->items[i]);
    }
    free(settings->items);
    cca_table_done(&settings->by_key);
}

/* --- Properties ----------------------------------------------------------- */

static void write_member(FILE *out, const char **comma, const char *name,
                         const char *value)
{
    fputs(*comma, out);
    cca_json_put_string(out, name);
    fputs(": ", out);
    cca_json_put_string(out, value);
    *comma = ", ";
}

static void write_variables(const struct cca_script *script, FILE *out)
{
    const char *comma = "";

    for (size_t i = 0; i < script->variables.count; i++)
        if (script->variables.items[i].used)
            write_member(out, &comma, script->variables.items[i].name,
                         script->variables.items[i].value);
}

static void write_settings(const struct cca_script *script, FILE *out)
{
    const char *comma = "";

    for (size_t i = 0; i < script->settings.count; i++)
        if (script->settings.items[i]->value)
            write_member(out, &comma, script->settings.items[i]->key,
                         script->settings.items[i]->value);
}

static int publish(struct cca_script *script, const char *key,
                   void (*write_members)(const struct cca_script *, FILE *))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int code = -ENOMEM, failed;

    if (!out)
        return code;
    putc('{', out);
    write_members(script, out);
    putc('}', out);
    failed = ferror(out);
    if (fclose(out) == 0 && !failed && text)
        code = cca_framework_set_property(script->framework, key, text);
    free(text);
    return code;
}

int cca_script_publish(struct cca_script *script, struct cca_error *err)
{
    int code;

    if (script->options.check || !script->facts_are_new)
        return CCA_EXIT_DONE;
    code = publish(script, "variables", write_variables);
    if (code == 0)
        code = publish(script, "set", write_settings);
    script->facts_are_new = code != 0;
    return cca_script_outcome(code, err);
}
