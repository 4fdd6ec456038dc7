/* SPDX-License-Identifier: BSD-3-Clause */
/* run_verb.h: types and functions shared by the files of the verb run. */
#ifndef ACTIVITY_CMD_RUN_RUN_VERB_H
#define ACTIVITY_CMD_RUN_RUN_VERB_H

#include "activity/cmd/cmd.h"
#include "activity/cost/cost.h"
#include "activity/run/engine.h"

enum { RUN_CONFIGS = 64, RUN_CLASSES = 64, RUN_MODELS = 1024 };

/* Options of `activity run`. */
struct run_asked {
    const char *path;
    const char *machine; /* machine file, or NULL */
    const struct cca_given *sets;
    struct act_config configs[RUN_CONFIGS];
    int config_count;
    uint64_t seed;
    int interpret, allow_c;
    /* Files to write, or NULL: an experiment, a trace, pictures. */
    const char *output, *trace, *timeline, *profile, *table;
    const char *against; /* file of measured times, or NULL */
    struct run_measured *measured;
    int measured_count;
    double until_s;           /* deadline of the simulation: CLOCK_MONOTONIC */
    double deadline_s;        /* time limit of compiled code */
    char *models[RUN_MODELS]; /* paths of experiments and repositories with performance
                               * models */
    int model_count;
    const char *metric; /* metric of the cost models, or NULL */
    struct act_cost_class classes[RUN_CLASSES];
    int class_count;
    int json, elements; /* elements: 1: print sums of each element; -1: only if there is
                         * one configuration */
};

/* A line of --against. */
struct run_measured {
    struct act_config config;
    double measured_s;
    char source[64]; /* source of the measured time: "run", "SMPI" */
};

/* Result of the simulation of one configuration. */
struct run_found {
    struct act_config config;
    struct act_result result;
    double evaluated_s; /* CPU time of the simulation */
    /* 95 % interval of the total, from the errors of the models used. NaN: no models, or
     * the error of one is unknown; then `unsure` is a text that names this model, else
     * NULL. */
    double low_s, high_s;
    const char *unsure;
};

/* options.c: Returns -1 if the options are valid; otherwise an exit code, after a
 * message. */
int run_options_read(const struct cca_args *args, struct run_asked *asked);
enum { RUN_OPTIONS = 18 };
extern const struct cca_option run_options[RUN_OPTIONS];

/* interval.c: set the interval of a run's total; `options` are those of the run. Returns
 * 0, or the error of a simulation. */
int run_interval(struct act_program *program, const struct act_run_options *options,
                 struct act_cost *cost, struct run_found *found, struct cca_error *err);

/* files.c: write the requested files of a single configuration. Returns 0 or an error. */
int run_write_files(const struct run_asked *asked, struct act_program *program,
                    struct act_cost *cost, const struct run_found *found,
                    struct cca_error *err);

/* against.c: read asked->against, a file of lines "config,measured_s[,source]". Returns 0
 * or an error; the caller frees asked->measured. */
int run_against_read(struct run_asked *asked, struct cca_error *err);
/* Write a configuration as text, "N2P8". Returns `text`. */
const char *run_config_text(const struct act_config *c, char *text, size_t size);
/* The measurement of a configuration, or NULL. */
const struct run_measured *run_measured_of(const struct run_asked *asked,
                                           const struct act_config *config);
/* Print the columns of Table 5.1 in Pllana's paper. Returns an exit code. */
int run_print_against(const struct run_asked *asked, const struct act_model *model,
                      const struct run_found *found);

/* text.c, json.c: print all results. Returns an exit code. */
int run_print_text(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found);
int run_print_json(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found);

#endif
