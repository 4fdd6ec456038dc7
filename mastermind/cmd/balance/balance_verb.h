/* SPDX-License-Identifier: BSD-3-Clause */
/* balance_verb.h: types and functions that the files of the verb balance share. */
#ifndef MASTERMIND_CMD_BALANCE_BALANCE_VERB_H
#define MASTERMIND_CMD_BALANCE_BALANCE_VERB_H

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/balance/simulate.h"
#include "mesh/plugin/plugin.h"

/* Weights from one probe of a profile, as the simulator takes them: one weight per cell
 * of level 0, which includes the work of the finer cells above it. */
struct balance_trace {
    const char *experiment; /* path of the experiment as the user gave it; borrowed */
    struct mesh_profile *profile;
    int probe;
    size_t first, end; /* indices of the steps to use: first <= i < end */
    int back;          /* true if steps run from the last to the first */
    int64_t *numbers;  /* [steps] numbers of the steps */
    float *fine;       /* temporary memory for the weights of a finer level, or NULL */
    struct mesh_source source;
};

/* --- trace.c ----------------------------------------------------------------------- */

/* Fill trace->source from the fields before it. Returns -1 to go on, else an exit code
 * after a message; call balance_trace_done either way. */
int balance_trace_open(struct balance_trace *trace);
void balance_trace_done(struct balance_trace *trace);

struct balance_model; /* price_model.c */

/* --- options and results ----------------------------------------------------------- */

enum { BALANCE_POLICIES = 32 };
#define BALANCE_SECONDS 60. /* time limit for an answer of a plug-in, seconds */

struct balance_verb {
    struct balance_trace trace;
    int parts;
    int lag;
    int64_t every; /* steps between two calls of a live policy */
    const char *partitioner;
    int zoltan_ranks; /* ranks of the Zoltan partitioner; 0: another partitioner */
    struct mesh_price_word repartition, move;
    struct balance_model *price_model; /* model that gives the prices; NULL: prices are
                                        * numbers or a plug-in's */
    const char *repartition_text, *move_text;
    struct mesh_policy policies[BALANCE_POLICIES];
    char *policy_words[BALANCE_POLICIES]; /* path of each policy's plug-in, owned;
                                           * NULL: a built-in policy */
    size_t policy_count;
};

/* One simulation, for one number of parts and one pair of prices. */
struct balance_found {
    const struct mesh_loads *loads; /* borrowed */
    struct mesh_price price;
    struct mesh_simulation simulation;
    struct mesh_heavy heavy;
    struct mesh_policy policies[BALANCE_POLICIES]; /* copies of the verb's policies,
                                                    * with their plug-ins */
    struct mesh_plugin *plugins[BALANCE_POLICIES]; /* NULL: none */
    struct mesh_plugin *price_plugin;              /* NULL: none */
};

/* --- partitioner.c ----------------------------------------------------------------- */

/* The number of ranks that sent values in the first step; 0: no rank did. */
int balance_ranks(const struct balance_trace *trace);

/* Open verb->partitioner for the trace: a built-in one, Zoltan, or a plug-in (see
 * mesh_partitioner_open, mesh_zoltan_open and mesh_plugin_open for the returns). */
int balance_partitioner_open(struct balance_verb *verb, int parts,
                             struct mesh_partitioner *partitioner, struct cca_error *err);

/* --- options.c --------------------------------------------------------------------- */

enum balance_option {
    BALANCE_PROFILE,
    BALANCE_PROBE,
    BALANCE_PARTS,
    BALANCE_PARTITIONER,
    BALANCE_PRICE,
    BALANCE_MOVE,
    BALANCE_POLICY,
    BALANCE_LAG,
    BALANCE_EVERY,
    BALANCE_STEP,
    BALANCE_BACK,
    BALANCE_SWEEP,
    BALANCE_SCHEDULE,
    BALANCE_CSV,
    BALANCE_JSON,
    BALANCE_OPTIONS
};

enum { BALANCE_SWEPT = 16 }; /* largest number of values of --sweep */

struct balance_asked {
    struct balance_verb verb;
    const char *swept; /* the quantity of --sweep, "parts" or "price"; NULL: no sweep */
    double values[BALANCE_SWEPT];
    size_t value_count;
};

/* Read the options into *asked, which must be all zeros; texts are borrowed from the
 * options. Returns -1 to go on, else an exit code after a message. */
int balance_read_options(struct balance_asked *asked, const struct cca_given *options);

/* --- plugins.c --------------------------------------------------------------------- */

/* Copy the policies of the verb and start the processes of plug-ins; a plug-in for the
 * price replaces found->price. Returns -1 to go on, else an exit code after a message;
 * call balance_plugins_close either way. */
int balance_plugins_open(const struct balance_verb *verb, struct balance_found *found);
/* Check the plug-ins after a simulation. Returns -1 if none failed, else an exit code
 * after a message. */
int balance_plugins_check(const struct balance_verb *verb,
                          const struct balance_found *found);
void balance_plugins_close(struct balance_found *found);

/* --- price_model.c ----------------------------------------------------------------- */

/* True for "model" and "model:EXPERIMENT", the prices by a model. */
int balance_price_is_model(const char *text);
/* Fit verb->price_model to the redistributions of the trace's experiment, or of the
 * EXPERIMENT named in the price. Returns -1 to go on, else an exit code after a message;
 * call balance_model_free either way. */
int balance_model_new(struct balance_verb *verb);
void balance_model_free(struct balance_model *model);
/* Take prices from the model, times `factor`; the model is borrowed. */
void balance_model_price(struct balance_model *model, double factor,
                         struct mesh_price *price);
void balance_model_print(const struct balance_verb *verb);
void balance_model_json(const struct balance_model *model, json_t *json);

/* --- text.c, json.c ---------------------------------------------------------------- */

/* The policy with the lowest cost; of equal ones the first. */
const struct mesh_result *balance_cheapest(const struct mesh_simulation *simulation);

void balance_print(const struct balance_verb *verb, const struct balance_found *found);
/* Print a table with a line for each policy and each value of the swept quantity, "parts"
 * or "price". */
void balance_print_sweep(const struct balance_verb *verb, const char *swept,
                         const struct balance_found *found, size_t count,
                         const double *values);
/* Print a CSV row for each policy and step. */
void balance_csv(const struct balance_verb *verb, const struct balance_found *found);
/* Add the prices as members of `json`. */
void balance_put_price(json_t *json, const struct balance_verb *verb,
                       const struct balance_found *found);
/* The simulation as a new document; NULL: out of memory. */
json_t *balance_json(const struct balance_verb *verb, const struct balance_found *found);

/* --- schedule.c -------------------------------------------------------------------- */

/* Write the schedule of the cheapest policy to `path` (docs/guide/balance.md) and set
 * *name to that policy. Returns -1 to go on, else an exit code after a message. */
int balance_write_schedule(const struct balance_verb *verb,
                           const struct balance_found *found, const char *path,
                           const char **name);

#endif
