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
    /* Files to make, or NULL: an experiment, a trace, pictures. */
    const char *output, *trace, *timeline, *profile, *table;
    const char *against; /* what was measured, or NULL */
    struct run_measured *measured;
    int measured_count;
    double until_s;           /* a run must have ended: CLOCK_MONOTONIC */
    double deadline_s;        /* of compiled code */
    char *models[RUN_MODELS]; /* experiments and repositories */
    int model_count;
    const char *metric; /* of their costs, or NULL */
    struct act_cost_class classes[RUN_CLASSES];
    int class_count;
    int json, elements; /* elements: sums of each; -1: of one configuration alone */
};

/* A line of --against. */
struct run_measured {
    struct act_config config;
    double measured_s;
    char source[64]; /* where it is from: "run", "SMPI" */
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

/* files.c: what was asked for of the one configuration. 0 or an error. */
int run_write_files(const struct run_asked *asked, struct act_program *program,
                    struct act_cost *cost, const struct run_found *found,
                    struct cca_error *err);

/* against.c: read asked->against, "config,measured_s[,source]" a line. 0 or an error;
 * asked->measured is the caller's to free. */
int run_against_read(struct run_asked *asked, struct cca_error *err);
/* A configuration as text, "N2P8". Returns `text`. */
const char *run_config_text(const struct act_config *c, char *text, size_t size);
/* The measured line of a configuration, or NULL. */
const struct run_measured *run_measured_of(const struct run_asked *asked,
                                           const struct act_config *config);
/* The columns of the paper's Table 5.1. An exit code. */
int run_print_against(const struct run_asked *asked, const struct act_model *model,
                      const struct run_found *found);

/* text.c, json.c: print all. An exit code. */
int run_print_text(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found);
int run_print_json(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found);

#endif
