/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_run.c: activity run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "activity/cmd/run/run_verb.h"
#include "activity/run/interpret.h"

static int set_globals(const struct run_asked *asked, struct act_model *model,
                       struct cca_error *err)
{
    int rc = 0;

    for (int i = 0; i < asked->set_count && !rc; i++) {
        const char *equals = strchr(asked->sets[i], '=');
        char *name = strndup(asked->sets[i], (size_t)(equals - asked->sets[i]));

        rc = name ? act_model_set(model, name, equals + 1, err) : cca_no_memory(err);
        free(name);
    }
    return rc;
}

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run_all(const struct run_asked *asked, struct act_program *program,
                   struct run_found *found, struct cca_error *err)
{
    struct act_run_options options = {.seed = asked->seed};
    int rc = 0;

    act_machine_usual(&options.machine);
    if (asked->machine)
        rc = act_machine_load(&options.machine, asked->machine, err);
    for (int i = 0; i < asked->config_count && !rc; i++) {
        double begun = cpu_s();

        options.config = found[i].config = asked->configs[i];
        rc = act_run(program, &options, &found[i].result, err);
        found[i].evaluated_s = cpu_s() - begun;
    }
    return rc;
}

int act_cmd_run(int argc, char **argv)
{
    struct run_asked asked;
    struct cca_error err = {0};
    struct act_model *model;
    struct act_program *program = NULL;
    struct run_found *found;
    int rc = run_options_read(argc, argv, &asked);

    if (rc >= 0)
        return rc;
    model = act_model_load(asked.path, &err);
    found = calloc((size_t)asked.config_count, sizeof *found);
    rc = model ? 0 : err.code;
    if (!rc && !found)
        rc = cca_no_memory(&err);
    rc = rc ? rc : set_globals(&asked, model, &err);
    if (!rc) {
        program = act_interpret_new(model, NULL, &err);
        rc = program ? run_all(&asked, program, found, &err) : err.code;
    }
    if (rc)
        rc = act_complain(&err);
    else
        rc = asked.json ? run_print_json(&asked, model, found)
                        : run_print_text(&asked, model, found);
    for (int i = 0; found && i < asked.config_count; i++)
        act_result_free(&found[i].result);
    free(found);
    act_interpret_free(program);
    act_model_free(model);
    return rc;
}
