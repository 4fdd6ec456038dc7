/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: costs of model("flux.flux.compute", axis = 0, Q = nx*ny) from the Mastermind:
 * models fitted to experiments, or kept in repositories.
 *
 *   experiments ─▶ open ─▶ library ─▶ bind ─▶ answers ─▶ act_costs of a program
 *
 * A cost is the mean exclusive compute time of one invocation: wall time without time in
 * MPI, which the simulation computes. */
#ifndef ACTIVITY_COST_COST_H
#define ACTIVITY_COST_COST_H

#include "activity/run/program.h"

struct act_cost; /* performance models bound to the model("...") of an activity model;
                  * opaque */

/* "flux=GodunovFlux": use this class for an instance. */
struct act_cost_class {
    const char *instance, *class_name; /* borrowed */
};

/* Open experiments and repositories, and fit models. `metric`: TIME, CPU_TIME or
 * COMPUTE_TIME; NULL: COMPUTE_TIME of experiments that have it, TIME of others. New,
 * freed by act_cost_free (NULL is fine); NULL with `err`: -ENOENT, -ENOTDIR, -EBADMSG,
 * -EINVAL: unknown metric, -EIO, -ENOMEM. */
struct act_cost *act_cost_open(char *const *paths, int count, const char *metric,
                               struct cca_error *err);
void act_cost_free(struct act_cost *cost);

/* Find the performance models for all model("...") of `model`. The class of an instance
 * is the first of: the class in classes[count]; the `type` of an activity or element
 * whose method is of that instance; the class in the experiments. Instead of an instance,
 * the text may name a class. `model` is borrowed until the end. Returns 0; -ENOENT with
 * `err`, "file:line:column: found ..., expected ...": no such model, parameter or mode;
 * -ENOMEM. */
int act_cost_bind(struct act_cost *cost, const struct act_model *model,
                  const struct act_cost_class *classes, int count, struct cca_error *err);

/* The functions by which a program queries costs; borrowed. Any parameter values are
 * allowed; the first query of each combination is the slowest. One thread at a time. */
const struct act_costs *act_cost_costs(struct act_cost *cost);

/* Whether parameter `i` of a model("...") is a mode; an argument of act_experiment_modes,
 * so `context` is the struct act_cost. */
int act_cost_is_mode(void *context, const struct act_model_call *call, int i);

/* Number of models used so far. act_cost_move moves the mean of model `i` by `way` times
 * half of its 95 % interval (way 0, i -1: no model): another run then shows the effect of
 * that model's error on the total. */
int act_cost_asked(const struct act_cost *cost);
void act_cost_move(struct act_cost *cost, int i, double way);
/* A text about the first model used whose error is unknown; NULL: all errors are
 * known. */
const char *act_cost_unsure(const struct act_cost *cost);

/* Print notes on weak answers so far, a line "activity: note: " each: parameters beyond
 * the measured sizes, models of other builds, models of a single run. */
void act_cost_print_notes(const struct act_cost *cost);

#endif
