/* SPDX-License-Identifier: BSD-3-Clause */
/* trip.h: measured experiments as an activity model.
 *
 *   rows ─▶ calls of each thread in order ─▶ words of callees ─▶ patterns: loops, choices
 *        ─▶ counts and costs of each place ─▶ numbers, tables, scaling functions ─▶ text
 *
 * The word of an invocation is the sequence of its callees. All words of a method make
 * one pattern, which becomes its activity. Values that differ between invocations
 * (iterations of a loop, the branch taken) are written exactly, as a table; from several
 * runs with different parameters, as scaling functions of these. docs/guide/activity.md
 * has examples. */
#ifndef ACTIVITY_TRIP_TRIP_H
#define ACTIVITY_TRIP_TRIP_H

#include "mastermind/reader/experiment.h"

enum act_trip_costs {
    ACT_TRIP_MODELS, /* write costs as model("flux.flux.compute", axis = 0, Q = 272) */
    ACT_TRIP_MEANS   /* write costs as numbers: means by method, mode and size */
};

struct act_trip_options {
    const char *name; /* name of the model; must be a name of the activity language */
    enum act_trip_costs costs;
};

/* Write the model of `count` experiments of one program as text. The first experiment is
 * the base: globals begin with its parameters. New, freed by the caller; NULL with `err`:
 * -ENODATA: no calls; -E2BIG: too large for a model; -EBADMSG, -EIO, -ENOMEM. */
char *act_trip_text(struct mm_experiment *const *experiments, size_t count,
                    const struct act_trip_options *options, struct cca_error *err);

#endif
