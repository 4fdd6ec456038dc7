/* SPDX-License-Identifier: BSD-3-Clause */
/* balance_verb.h: what the files of the verb balance share. */
#ifndef MASTERMIND_CMD_BALANCE_BALANCE_VERB_H
#define MASTERMIND_CMD_BALANCE_BALANCE_VERB_H

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/balance/simulate.h"
#include "mesh/plugin/plugin.h"

/* Weights of a probe of a profile, as the simulator takes them: cells of level 0, with
 * the work of the finer cells above them. */
struct balance_trace {
    const char *experiment; /* as it was given; borrowed */
    struct mesh_profile *profile;
    int probe;
    size_t first, end; /* indices of steps: first <= i < end */
    int back;          /* 1: from the last step to the first */
    int64_t *numbers;  /* [steps] */
    float *fine;       /* scratch of a finer level, or NULL */
    struct mesh_source source;
};

/* --- trace.c ----------------------------------------------------------------------- */

/* Make trace->source of the fields before it. -1 to go on, else an exit code after a
 * message; balance_trace_done either way. */
int balance_trace_open(struct balance_trace *trace);
void balance_trace_done(struct balance_trace *trace);

struct balance_model; /* price_model.c */

/* --- what was asked and found ------------------------------------------------------ */

enum { BALANCE_POLICIES = 32 };
#define BALANCE_SECONDS 60. /* for an answer of a plug-in */

struct balance_verb {
    struct balance_trace trace;
    int parts;
    int lag;
    int64_t every; /* steps from one question to a live policy to the next */
    const char *partitioner;
    int zoltan_ranks; /* that a partitioner of Zoltan ran on; 0: another */
    struct mesh_price_word repartition, move;
    struct balance_model *price_model; /* NULL: prices are numbers or a plug-in's */
    const char *repartition_text, *move_text;
    struct mesh_policy policies[BALANCE_POLICIES];
    char *policy_words[BALANCE_POLICIES]; /* NULL: no plug-in; owned */
    size_t policy_count;
};

/* One simulation: of parts and prices. */
struct balance_found {
    const struct mesh_loads *loads; /* borrowed */
    struct mesh_price price;
    struct mesh_simulation simulation;
    struct mesh_heavy heavy;
    struct mesh_policy policies[BALANCE_POLICIES]; /* the verb's, with their plug-ins */
    struct mesh_plugin *plugins[BALANCE_POLICIES]; /* NULL: none */
    struct mesh_plugin *price_plugin;              /* NULL: none */
};

/* --- partitioner.c ----------------------------------------------------------------- */

/* The ranks that told something of the first step; 0: of none. */
int balance_ranks(const struct balance_trace *trace);

/* Open verb->partitioner for the trace, as mesh_partitioner_open, mesh_zoltan_open and
 * mesh_plugin_open. */
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

enum { BALANCE_SWEPT = 16 }; /* most values */

struct balance_asked {
    struct balance_verb verb;
    const char *swept; /* "parts", "price" or NULL */
    double values[BALANCE_SWEPT];
    size_t value_count;
};

/* Take what the options say into *asked, which is all zeros before; words are borrowed
 * from them. -1 to go on, else an exit code after a message. */
int balance_read_options(struct balance_asked *asked, const struct mm_option *options);

/* --- plugins.c --------------------------------------------------------------------- */

/* Copy the policies of the verb and start the processes of plug-ins; a price that is one
 * replaces found->price. -1 to go on, else an exit code after a message;
 * balance_plugins_close either way. */
int balance_plugins_open(const struct balance_verb *verb, struct balance_found *found);
/* After a simulation: -1 where none failed, else an exit code after a message. */
int balance_plugins_check(const struct balance_verb *verb,
                          const struct balance_found *found);
void balance_plugins_close(struct balance_found *found);

/* --- price_model.c ----------------------------------------------------------------- */

/* True for "model" and "model:EXPERIMENT". */
int balance_price_is_model(const char *text);
/* Fit verb->price_model to the redistributions of the trace's experiment, or of the one
 * named. -1 to go on, else an exit code after a message; balance_model_free either way.
 */
int balance_model_new(struct balance_verb *verb);
void balance_model_free(struct balance_model *model);
/* Prices by the model, times `factor`; the model is borrowed. */
void balance_model_price(struct balance_model *model, double factor,
                         struct mesh_price *price);
void balance_model_print(const struct balance_verb *verb);
void balance_model_json(const struct balance_model *model, json_t *json);

/* --- text.c, json.c ---------------------------------------------------------------- */

/* The cheapest of the policies, the first of equals. */
const struct mesh_result *balance_cheapest(const struct mesh_simulation *simulation);

void balance_print(const struct balance_verb *verb, const struct balance_found *found);
/* One line a policy and value of what is swept, "parts" or "price". */
void balance_print_sweep(const struct balance_verb *verb, const char *swept,
                         const struct balance_found *found, size_t count,
                         const double *values);
/* A row for each policy and step. */
void balance_csv(const struct balance_verb *verb, const struct balance_found *found);
/* Add the prices. */
void balance_put_price(json_t *json, const struct balance_verb *verb,
                       const struct balance_found *found);
/* New; NULL: no memory. */
json_t *balance_json(const struct balance_verb *verb, const struct balance_found *found);

/* --- schedule.c -------------------------------------------------------------------- */

/* Write the schedule of the cheapest policy to `path` (docs/guide/balance.md). -1 to go
 * on, else an exit code after a message. *name is that policy. */
int balance_write_schedule(const struct balance_verb *verb,
                           const struct balance_found *found, const char *path,
                           const char **name);

#endif
