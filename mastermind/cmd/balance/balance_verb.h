/* SPDX-License-Identifier: BSD-3-Clause */
/* balance_verb.h: what the files of the verb balance share. */
#ifndef MASTERMIND_CMD_BALANCE_BALANCE_VERB_H
#define MASTERMIND_CMD_BALANCE_BALANCE_VERB_H

#include "mastermind/cmd/mesh/mesh_verb.h"
#include "mesh/balance/simulate.h"

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

/* --- what was asked and found ------------------------------------------------------ */

enum { BALANCE_POLICIES = 32 };

struct balance_verb {
    struct balance_trace trace;
    int parts;
    int lag;
    const char *partitioner;
    int zoltan_ranks; /* that a partitioner of Zoltan ran on; 0: another */
    struct mesh_price_word repartition, move;
    const char *repartition_text, *move_text;
    struct mesh_policy policies[BALANCE_POLICIES];
    size_t policy_count;
};

/* One simulation: of parts and prices. */
struct balance_found {
    const struct mesh_loads *loads; /* borrowed */
    struct mesh_price price;
    struct mesh_simulation simulation;
    struct mesh_heavy heavy;
};

/* --- partitioner.c ----------------------------------------------------------------- */

/* The ranks that told something of the first step; 0: of none. */
int balance_ranks(const struct balance_trace *trace);

/* Open verb->partitioner for the trace, as mesh_partitioner_open and mesh_zoltan_open. */
int balance_partitioner_open(struct balance_verb *verb,
                             struct mesh_partitioner *partitioner, struct cca_error *err);

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
/* New; NULL: no memory. */
json_t *balance_json(const struct balance_verb *verb, const struct balance_found *found);

/* --- schedule.c -------------------------------------------------------------------- */

/* Write the schedule of the cheapest policy to `path` (docs/mesh-schedule.md). -1 to go
 * on, else an exit code after a message. *name is that policy. */
int balance_write_schedule(const struct balance_verb *verb,
                           const struct balance_found *found, const char *path,
                           const char **name);

#endif
