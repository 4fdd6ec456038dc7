/* SPDX-License-Identifier: BSD-3-Clause */
/* trip.h: measured experiments as an activity model.
 *
 *   rows ─▶ calls of each thread in order ─▶ words of callees ─▶ patterns: loops, choices
 *        ─▶ counts and costs of each place ─▶ numbers, tables, laws ─▶ text
 *
 * The word of an invocation is what it called, in order. All words of a method make one
 * pattern, and that is its activity. What differs between invocations (turns of a loop,
 * which branch) is a table, exactly; of several runs with other parameters, a law in
 * these. docs/guide/activity.md has examples. */
#ifndef ACTIVITY_TRIP_TRIP_H
#define ACTIVITY_TRIP_TRIP_H

#include "mastermind/reader/experiment.h"

enum act_trip_costs {
    ACT_TRIP_MODELS, /* model("flux.flux.compute", axis = 0, Q = 272) */
    ACT_TRIP_MEANS   /* numbers: means of method, mode and size */
};

struct act_trip_options {
    const char *name; /* of the model; a name as the language has them */
    enum act_trip_costs costs;
};

/* The model of `count` experiments of one program as text; the first is the base: where
 * runs differ, globals begin with its parameters. New, freed by the caller; NULL with
 * `err`: -ENODATA no calls; -E2BIG more than fits a model; -EBADMSG, -EIO, -ENOMEM. */
char *act_trip_text(struct mm_experiment *const *experiments, size_t count,
                    const struct act_trip_options *options, struct cca_error *err);

#endif
