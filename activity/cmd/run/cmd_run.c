/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_run.c: activity run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "activity/cmd/run/run_verb.h"
#include "activity/compile/compile.h"
#include "activity/run/interpret.h"
#include "common/clock.h"

static int run_all(const struct run_asked *asked, struct act_program *program,
                   struct act_cost *cost, struct run_found *found, struct cca_error *err)
{
    struct act_run_options options = {.seed = asked->seed, .until_s = asked->until_s};
    int rc = 0;

    act_machine_usual(&options.machine);
    if (asked->machine)
        rc = act_machine_load(&options.machine, asked->machine, err);
    for (int i = 0; i < asked->config_count && !rc; i++) {
        double begun = cca_clock_s(CLOCK_THREAD_CPUTIME_ID);

        options.config = found[i].config = asked->configs[i];
        rc = act_run(program, &options, &found[i].result, err);
        found[i].evaluated_s = cca_clock_s(CLOCK_THREAD_CPUTIME_ID) - begun;
        if (!rc)
            rc = run_interval(program, &options, cost, &found[i], err);
    }
    return rc;
}

/* Seconds after its deadline at which a child is killed. Normally the simulation checks
 * the deadline itself and names the element that it has reached. */
enum { GRACE_S = 2 };

/* The input of a run. */
struct work {
    struct run_asked *asked;
    struct act_model *model;
    struct act_cost *cost; /* cost models; NULL: none were given */
};

/* Simulate all configurations and print the results, in this process or in a child.
 * Returns an exit code. */
static int work(struct act_program *program, void *context)
{
    const struct work *w = context;
    struct run_found *found = calloc((size_t)w->asked->config_count, sizeof *found);
    struct cca_error err = {0};
    int rc;

    w->asked->until_s = cca_clock_s(CLOCK_MONOTONIC) + w->asked->deadline_s;
    rc = found ? run_all(w->asked, program, w->cost, found, &err) : cca_no_memory(&err);

    if (!rc)
        rc = run_write_files(w->asked, program, w->cost, found, &err);
    if (!rc && w->cost)
        act_cost_print_notes(w->cost);
    if (rc)
        rc = act_complain(&err);
    else
        rc = w->asked->json      ? run_print_json(w->asked, w->model, found)
             : w->asked->against ? run_print_against(w->asked, w->model, found)
                                 : run_print_text(w->asked, w->model, found);
    for (int i = 0; found && i < w->asked->config_count; i++)
        act_result_free(&found[i].result);
    free(found);
    return rc;
}

static const struct act_costs *costs_of(const struct work *w)
{
    return w->cost ? act_cost_costs(w->cost) : NULL;
}

static int interpret(const struct work *w)
{
    struct cca_error err = {0};
    struct act_program *program = act_interpret_new(w->model, costs_of(w), &err);
    int rc = program ? work(program, (void *)(uintptr_t)w) : act_complain(&err);

    act_interpret_free(program);
    return rc;
}

/* Run compiled code in a child. If it ends with an error, the interpreter runs the model
 * again to find out which error it is. */
static int run_compiled(const struct work *w)
{
    struct cca_error err = {0};
    enum act_compiled how;
    int code = 0;
    int rc = act_compile_run(w->model, costs_of(w), w->asked->allow_c,
                             w->asked->deadline_s + GRACE_S, work, (void *)(uintptr_t)w,
                             &how, &code, &err);

    if ((rc == -ENOENT || rc == -ENOEXEC) && !w->model->has_raw) {
        fprintf(stderr, "activity: %s: the model is interpreted\n", err.text);
        return interpret(w);
    }
    if (rc)
        return act_complain(&err);
    if (how == ACT_COMPILED_ENDED)
        return code;
    if (how == ACT_COMPILED_FAULT && !w->model->has_raw)
        return interpret(w);
    if (how == ACT_COMPILED_TOO_LONG)
        return act_refuse(ACT_EXIT_FAULT,
                          "%s: found no end after %g s; --deadline gives it more",
                          w->model->file, w->asked->deadline_s);
    return act_refuse(ACT_EXIT_FAULT, "%s: the compiled model died of signal %d (%s)",
                      w->model->file, code, strsignal(code));
}

static int find_costs(struct work *w, struct cca_error *err)
{
    const struct run_asked *asked = w->asked;

    for (int i = 0; i < asked->class_count; i++)
        act_model_set_class(w->model, asked->classes[i].instance,
                            asked->classes[i].class_name);
    w->cost = act_cost_open(asked->models, asked->model_count, asked->metric, err);
    if (!w->cost)
        return err->code;
    return act_cost_bind(w->cost, w->model, asked->classes, asked->class_count, err);
}

static int run_verb(const struct cca_args *args)
{
    struct run_asked asked;
    struct work w = {.asked = &asked};
    struct cca_error err = {0};
    struct act_model *model;
    int rc = run_options_read(args, &asked);

    if (rc >= 0) {
        free(asked.measured);
        return rc;
    }
    model = act_model_load(asked.path, &err);
    rc = model ? act_set_globals(model, asked.sets, &err) : err.code;
    w.model = model;
    if (!rc && asked.model_count)
        rc = find_costs(&w, &err);
    if (rc)
        rc = act_complain(&err);
    else
        rc = asked.interpret ? interpret(&w) : run_compiled(&w);
    act_cost_free(w.cost);
    free(asked.measured);
    act_model_free(model);
    return rc;
}

const struct cca_verb act_verb_run = {
    .name = "run",
    .summary = "how long a model's program lasts on nodes and processes",
    .usage = "activity run FILE.act [options]\n",
    .examples = "activity run examples/activity/sample.act --config N1P4,N8P32\n",
    CCA_OPTIONS(run_options),
    .notes = "Exit status: 0 done, 2 misuse, 3 bad input, 4 a fault of the model, 5 I/O "
             "or memory.\n",
    .run = run_verb,
};
