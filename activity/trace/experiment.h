/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.h: a simulated run as an experiment that says so (origin "simulated"), for
 * all that reads experiments.
 *
 * Invocations are calls of activities that have a method, and elements that have one. An
 * element without is part of the method around it; where there is none, it is a method
 * MODEL.ACTIVITY.NAME. Processes are ranks. Time in messages and collectives is MPI time.
 * The parameters of a row are those of the model("...") that its cost asked last; for a
 * method with callees, that of the method's own name. */
#ifndef ACTIVITY_TRACE_EXPERIMENT_H
#define ACTIVITY_TRACE_EXPERIMENT_H

#include "activity/run/engine.h"

struct act_experiment; /* opaque */

enum { ACT_EXPERIMENT_PROCESSES = 1000 };

/* Begin an experiment at `path`, which must not exist or be an empty directory. `model`
 * is borrowed until the end. New, freed by act_experiment_free; NULL with `err`: -EINVAL,
 * more than ACT_EXPERIMENT_PROCESSES processes; -EEXIST; -ENOMEM or an I/O error. */
struct act_experiment *act_experiment_new(const char *path, const struct act_model *model,
                                          int64_t processes, struct cca_error *err);

/* Who listens to the run; borrowed. What it returns ends the run, and
 * act_experiment_finish says why. */
const struct act_sink *act_experiment_sink(struct act_experiment *experiment);

/* Costs that ask `costs` (NULL: none, and NULL is what comes back) and remember what was
 * asked, for the program that runs; borrowed. */
const struct act_costs *act_experiment_costs(struct act_experiment *experiment,
                                             const struct act_costs *costs);

/* Whether parameter `i` of a model's call is a category and no number; NULL: none is. Set
 * before the run. */
void act_experiment_modes(struct act_experiment *experiment,
                          int (*is_mode)(void *context, const struct act_model_call *call,
                                         int i),
                          void *context);

/* Write the rest: 0, then the directory is there. Or the error of an earlier row, too. */
int act_experiment_finish(struct act_experiment *experiment, struct cca_error *err);
/* NULL is fine; what was not finished is removed. */
void act_experiment_free(struct act_experiment *experiment);

#endif
