/* SPDX-License-Identifier: BSD-3-Clause */
/* script.c: the interpreter of scripts: create, free, define variables. */
#include "framework/script/script.h"

#include <errno.h>
#include <stdlib.h>

#include "framework/script/script_core.h"

static int define(struct cca_script_pairs *variables, const char *name, const char *value)
{
    if (!cca_script_is_variable(name))
        return -EINVAL;
    cca_script_pairs_remove(variables, name);
    return cca_script_pairs_add(variables, name, value);
}

int cca_script_define(struct cca_script *script, const char *name, const char *value)
{
    return define(&script->variables, name, value);
}

int cca_script_define_default(struct cca_script *script, const char *name,
                              const char *value)
{
    return define(&script->own_variables, name, value);
}

int cca_script_path(struct cca_script *script, const char *dir, struct cca_error *err)
{
    int status = cca_repository_path_append(script->repository, dir, err);

    if (status == 0 && cca_script_pairs_add(&script->first_dirs, dir, NULL) < 0)
        status = cca_no_memory(err);
    return status;
}

struct cca_script *cca_script_new(struct cca_framework *framework,
                                  const struct cca_script_options *options)
{
    struct cca_script *script = calloc(1, sizeof *script);

    if (!script)
        return NULL;
    if (options)
        script->options = *options;
    if (!script->options.out)
        script->options.out = stdout;
    if (!script->options.words)
        script->options.words = stderr;
    script->commands = cca_script_commands;
    script->framework = framework;
    script->repository = cca_framework_repository(framework);
    script->builder = cca_framework_builder(framework);
    script->cohort = cca_framework_cohort(framework);
    script->facts_are_new = 1;
    return script;
}

void cca_script_free(struct cca_script *script)
{
    if (!script)
        return;
    cca_script_pairs_done(&script->variables);
    cca_script_pairs_done(&script->own_variables);
    cca_script_pairs_done(&script->made);
    cca_script_settings_done(&script->settings);
    cca_script_overrides_done(&script->overrides);
    cca_script_pairs_done(&script->first_dirs);
    cca_script_pairs_done(&script->ghosts);
    cca_script_pairs_done(&script->doubtful);
    cca_script_pairs_done(&script->lost_dirs);
    cca_script_pairs_done(&script->palette);
    cca_dotcca_done(&script->index);
    free(script);
}
