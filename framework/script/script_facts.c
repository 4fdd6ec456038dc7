/* SPDX-License-Identifier: BSD-3-Clause */
/* script_facts.c: what the run was given: the variables that its scripts have used, and
 * the parameters that they or options have set. Components read both as properties of the
 * framework, "variables" and "set": JSON objects of strings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/base/json.h"
#include "framework/script/script_core.h"

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
    cca_script_pairs_remove(&script->settings, key);
    code = cca_script_pairs_add(&script->settings, key, kept ? kept : value);
    free(key);
    script->facts_are_new = 1;
    return cca_script_outcome(code, err);
}

void cca_script_forget_removed(struct cca_script *script)
{
    for (size_t i = script->settings.count; i-- > 0;) {
        char *key = strdup(script->settings.items[i].name);
        char *dot = key ? strchr(key, '.') : NULL;
        int is_there = 1;

        if (dot) {
            *dot = '\0';
            is_there = cca_script_has_instance(script, key);
            *dot = '.';
        }
        if (!is_there) {
            cca_script_pairs_remove(&script->settings, key);
            script->facts_are_new = 1;
        }
        free(key);
    }
}

/* Write pairs as members of a JSON object; `only_used`: those that are used. New, or
 * NULL. */
static char *write_object(const struct cca_script_pairs *pairs, int only_used)
{
    const char *comma = "";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    putc('{', out);
    for (size_t i = 0; i < pairs->count; i++) {
        if (only_used && !pairs->items[i].used)
            continue;
        fputs(comma, out);
        cca_json_put_string(out, pairs->items[i].name);
        fputs(": ", out);
        cca_json_put_string(out, pairs->items[i].value);
        comma = ", ";
    }
    putc('}', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int publish(struct cca_script *script, const char *key, char *text)
{
    int code = text ? cca_framework_set_property(script->framework, key, text) : -ENOMEM;

    free(text);
    return code;
}

int cca_script_publish(struct cca_script *script, struct cca_error *err)
{
    int code;

    if (script->options.check || !script->facts_are_new)
        return CCA_EXIT_DONE;
    code = publish(script, "variables", write_object(&script->variables, 1));
    if (code == 0)
        code = publish(script, "set", write_object(&script->settings, 0));
    script->facts_are_new = code != 0;
    return cca_script_outcome(code, err);
}
