/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.h: write a simulated run as an experiment (its origin is "simulated"), which
 * all readers of experiments can read.
 *
 * Invocations are calls of activities that have a method, and elements that have one. An
 * element without a method is part of the enclosing method; if there is none, it becomes
 * a method MODEL.ACTIVITY.NAME. Processes are ranks. Time in messages and collectives is
 * MPI time. The parameters of a row are those of the last model("...") that its cost
 * used; for a method with callees, those of the model("...") with the method's own
 * name. */
#ifndef ACTIVITY_TRACE_EXPERIMENT_H
#define ACTIVITY_TRACE_EXPERIMENT_H

#include "activity/run/engine.h"

struct act_experiment; /* writer of a simulated run as an experiment; opaque */

enum { ACT_EXPERIMENT_PROCESSES = 1000 };

/* Begin an experiment at `path`, which must not exist or be an empty directory. `model`
 * is borrowed until the end. New, freed by act_experiment_free; NULL with `err`: -EINVAL,
 * more than ACT_EXPERIMENT_PROCESSES processes; -EEXIST; -ENOMEM or an I/O error. */
struct act_experiment *act_experiment_new(const char *path, const struct act_model *model,
                                          int64_t processes, struct cca_error *err);

/* The sink for the run; borrowed. If it ends the run with an error, act_experiment_finish
 * sets the message. */
const struct act_sink *act_experiment_sink(struct act_experiment *experiment);

/* Wrap `costs` so that queries are remembered, for the program that runs; borrowed. NULL:
 * no costs, returns NULL. */
const struct act_costs *act_experiment_costs(struct act_experiment *experiment,
                                             const struct act_costs *costs);

/* Set the function that returns whether a parameter of a model("...") is a category
 * instead of a number; NULL: none is. Call before the run. */
void act_experiment_modes(struct act_experiment *experiment,
                          int (*is_mode)(void *context, const struct act_model_call *call,
                                         int i),
                          void *context);

/* Write the remaining files. Returns 0: the directory is complete; otherwise an error,
 * also that of an earlier row. */
int act_experiment_finish(struct act_experiment *experiment, struct cca_error *err);
/* Free the writer and remove unfinished files; NULL is fine. */
void act_experiment_free(struct act_experiment *experiment);

#endif
