/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.c: plan the runs of a sweep, and free it. */
#include <stdlib.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/sweep.h"

int sweep_make_plan(struct sweep *sweep)
{
    struct mm_plan_axis *axes = calloc(sweep->axis_count + 1, sizeof *axes);
    struct cca_error err = {0};

    if (!axes)
        return mm_no_memory();
    for (size_t a = 0; a < sweep->axis_count; a++)
        axes[a] = (struct mm_plan_axis){sweep->axes[a].count, sweep->axes[a].numbers};
    sweep->plan = mm_plan_new(&(struct mm_plan_request){.axes = axes,
                                                        .axis_count = sweep->axis_count,
                                                        .repeats = sweep->repeats,
                                                        .grid_limit = sweep->grid_limit,
                                                        .seed = sweep->seed},
                              &err);
    free(axes);
    if (!sweep->plan)
        return mm_complain(&err);
    sweep->runs = calloc(sweep->plan->run_count, sizeof *sweep->runs);
    return sweep->runs ? -1 : mm_no_memory();
}

void sweep_done(struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->axis_count; a++)
        sweep_axis_done(&sweep->axes[a]);
    for (size_t i = 0; sweep->runs && i < sweep->plan->run_count; i++) {
        sweep_run_reset(&sweep->runs[i]);
    }
    free(sweep->axes);
    free(sweep->launcher);
    free(sweep->check);
    free(sweep->over);
    free(sweep->metric);
    sweep_words_free(sweep->command);
    free(sweep->cwd);
    sweep_queue_done(sweep->queue);
    free(sweep->path);
    free(sweep->own_dir);
    free(sweep->runs);
    mm_plan_free(sweep->plan);
    if (sweep->lock >= 0)
        close(sweep->lock);
    if (sweep->run_lock >= 0)
        close(sweep->run_lock);
}
