/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: costs of model("flux.flux.compute", axis = 0, Q = nx*ny) from the Mastermind:
 * models fitted to experiments, or kept in repositories.
 *
 *   experiments ─▶ open ─▶ library ─▶ bind ─▶ answers ─▶ act_costs of a program
 *
 * A cost is the mean of one invocation's exclusive compute time: wall time without what
 * it spent in MPI, which the simulation gives. */
#ifndef ACTIVITY_COST_COST_H
#define ACTIVITY_COST_COST_H

#include "activity/run/program.h"

struct act_cost; /* opaque */

/* "flux=GodunovFlux": the class that stands in the place of an instance. */
struct act_cost_class {
    const char *instance, *class_name; /* borrowed */
};

/* Open experiments and repositories, and fit. `metric`: TIME, CPU_TIME or COMPUTE_TIME;
 * NULL: COMPUTE_TIME of experiments that tell it, TIME of others. New, freed by
 * act_cost_free (NULL is fine); NULL with `err`: -ENOENT, -ENOTDIR, -EBADMSG, -EINVAL a
 * metric that is none, -EIO, -ENOMEM. */
struct act_cost *act_cost_open(char *const *paths, int count, const char *metric,
                               struct cca_error *err);
void act_cost_free(struct act_cost *cost);

/* Find the models of all model("...") of `model`. What stands in the place of an instance
 * is, first of all: the class of classes[count]; the `type` of an activity or element
 * whose method is of that instance; the class in the experiments. Instead of an instance,
 * the text may name a class. `model` is borrowed until the end. 0; -ENOENT with `err`,
 * "file:line:column: found ..., expected ...": no such model, parameter, mode; -ENOMEM.
 */
int act_cost_bind(struct act_cost *cost, const struct act_model *model,
                  const struct act_cost_class *classes, int count, struct cca_error *err);

/* What a program asks; borrowed. Any values; what is asked first is the slowest. One
 * thread at a time. */
const struct act_costs *act_cost_costs(struct act_cost *cost);

/* Whether parameter `i` of a call is a mode (`context` is the struct act_cost): for
 * act_experiment_modes. */
int act_cost_is_mode(void *context, const struct act_model_call *call, int i);

/* Errors of the models asked so far: model `i` of act_cost_asked. A run with the mean of
 * that one model moved by `way` times half of its 95 % interval (way 0, i -1: by nothing)
 * tells what it does to the total. */
int act_cost_asked(const struct act_cost *cost);
void act_cost_move(struct act_cost *cost, int i, double way);
/* The first model asked whose error is not known: why, in words; NULL: all are known. */
const char *act_cost_unsure(const struct act_cost *cost);

/* Print what weakens the answers so far, a line each, "activity: note: ": parameters
 * beyond the sizes measured, models of other builds, one run. */
void act_cost_print_notes(const struct act_cost *cost);

#endif
