/* SPDX-License-Identifier: BSD-3-Clause */
/* run_verb.h: what the files of the verb run share. */
#ifndef ACTIVITY_CMD_RUN_RUN_VERB_H
#define ACTIVITY_CMD_RUN_RUN_VERB_H

#include "activity/cmd/cmd.h"
#include "activity/cost/cost.h"
#include "activity/run/engine.h"

enum { RUN_CONFIGS = 64, RUN_SETS = 64, RUN_CLASSES = 64, RUN_MODELS = 1024 };

/* What was asked. */
struct run_asked {
    const char *path;
    const char *machine; /* its file, or NULL */
    const char *sets[RUN_SETS];
    int set_count;
    struct act_config configs[RUN_CONFIGS];
    int config_count;
    uint64_t seed;
    int interpret, allow_c;
    const char *output;       /* experiment to make, or NULL */
    double until_s;           /* a run must have ended: CLOCK_MONOTONIC */
    double deadline_s;        /* of compiled code */
    char *models[RUN_MODELS]; /* experiments and repositories */
    int model_count;
    const char *metric; /* of their costs, or NULL */
    struct act_cost_class classes[RUN_CLASSES];
    int class_count;
    int json, elements; /* elements: sums of each; -1: of one configuration alone */
};

/* What a configuration gave. */
struct run_found {
    struct act_config config;
    struct act_result result;
    double evaluated_s; /* CPU time of the simulation */
    /* 95 % interval of the total by the errors of the models asked; NaN: there are none,
     * or one of them is not known: why, else NULL. */
    double low_s, high_s;
    const char *unsure;
};

/* options.c: -1 to go on, else an exit code after a message. */
int run_options_read(int argc, char **argv, struct run_asked *asked);

/* interval.c: set the interval of a run's total; `options` are those of the run. 0, or
 * the error of a run. */
int run_interval(struct act_program *program, const struct act_run_options *options,
                 struct act_cost *cost, struct run_found *found, struct cca_error *err);

/* text.c, json.c: print all. An exit code. */
int run_print_text(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found);
int run_print_json(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found);

#endif
