/* SPDX-License-Identifier: BSD-3-Clause */
/* files.c: output files of a run: an experiment, a trace, pictures. Each is made by
 * simulating the run once more with the same result: after a run without error, no file
 * can be left incomplete. */
#include <stdlib.h>

#include "activity/cmd/run/run_verb.h"
#include "activity/trace/experiment.h"
#include "activity/trace/picture.h"

static int run_again(const struct run_asked *asked, struct act_program *program,
                     const struct act_sink *sink, struct cca_error *err)
{
    struct act_run_options options = {.seed = asked->seed,
                                      .until_s = asked->until_s,
                                      .config = asked->configs[0],
                                      .sink = sink};
    struct act_result result;
    int rc;

    act_machine_usual(&options.machine);
    rc = asked->machine ? act_machine_load(&options.machine, asked->machine, err) : 0;
    rc = rc ? rc : act_run(program, &options, &result, err);
    if (!rc)
        act_result_free(&result);
    return rc;
}

static int write_experiment(const struct run_asked *asked, struct act_program *program,
                            struct act_cost *cost, struct cca_error *err)
{
    const struct act_costs *costs = program->system.costs;
    struct act_experiment *experiment = act_experiment_new(
        asked->output, program->model, asked->configs[0].processes, err);
    int rc, finished;

    if (!experiment)
        return err->code;
    program->system.costs = act_experiment_costs(experiment, costs);
    if (cost)
        act_experiment_modes(experiment, act_cost_is_mode, cost);
    rc = run_again(asked, program, act_experiment_sink(experiment), err);
    finished = rc ? rc : act_experiment_finish(experiment, err);
    if (rc && !err->code)
        act_experiment_finish(experiment, err); /* the error of the experiment names the
                                                   row that could not be written */
    program->system.costs = costs;
    act_experiment_free(experiment);
    return finished;
}

static int take_thread(void *context, const struct act_span *span)
{
    int64_t *threads = context;

    if (span->tid >= *threads)
        *threads = span->tid + 1;
    return 0;
}

static int write_timeline(const struct run_asked *asked, struct act_program *program,
                          const struct act_picture *picture, struct cca_error *err)
{
    struct act_timeline *timeline = act_timeline_new(picture);
    int rc = timeline ? run_again(asked, program, act_timeline_sink(timeline), err)
                      : cca_no_memory(err);

    if (!rc)
        rc = act_timeline_write(timeline, asked->timeline, err);
    act_timeline_free(timeline);
    return rc;
}

static int write_trace(const struct run_asked *asked, struct act_program *program,
                       const struct act_picture *picture, struct cca_error *err)
{
    struct act_chrome *chrome = act_chrome_new(picture, asked->trace, err);
    int rc = chrome ? run_again(asked, program, act_chrome_sink(chrome), err) : err->code;

    if (!rc)
        rc = act_chrome_finish(chrome, err);
    else if (!err->code)
        cca_error_set(err, rc, "%s: not written", asked->trace);
    act_chrome_free(chrome);
    return rc;
}

int run_write_files(const struct run_asked *asked, struct act_program *program,
                    struct act_cost *cost, const struct run_found *found,
                    struct cca_error *err)
{
    struct act_picture picture = {.model = program->model,
                                  .result = &found->result,
                                  .config = found->config,
                                  .threads_seen = 1};
    const struct act_sink count = {.context = &picture.threads_seen, .span = take_thread};
    int rc = 0;

    if (asked->output)
        rc = write_experiment(asked, program, cost, err);
    if (!rc && asked->timeline && program->model->has_threads)
        rc = run_again(asked, program, &count, err);
    if (!rc && asked->timeline)
        rc = write_timeline(asked, program, &picture, err);
    if (!rc && asked->trace)
        rc = write_trace(asked, program, &picture, err);
    if (!rc && asked->profile)
        rc = act_profile_write(&picture, asked->profile, err);
    if (!rc && asked->table)
        rc = act_table_write(&picture, asked->table, err);
    return rc;
}
