/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate.h: simulation of policies on a trace, compared with the optimum.
 *
 *     mesh_partitioner_open(&partitioner, "rcb", &source, err);
 *     mesh_loads_make(&loads, &source, &partitioner, &wish, err);    once for all prices
 *     mesh_price_read(&repartition, "1x", err);  mesh_price_read(&move, "250", err);
 *     mesh_price_make(&price, &loads, &repartition, &move);
 *     mesh_policy_read(&policies[0], "expect", err);
 *     mesh_simulate(&simulation, &loads, &price, policies, count, err);
 *
 * Computes numbers only: the caller reads files and prints. Any thread; functions with
 * different objects may run at once. */
#ifndef MESH_BALANCE_SIMULATE_H
#define MESH_BALANCE_SIMULATE_H

#include "mesh/balance/policy.h"

/* A price as text: "250" in the unit of the weights, "1.5x" in mean loads of a part (mean
 * over parts and steps). It is the price of a repartition, or of moving all cells. */
struct mesh_price_word {
    double value;
    int in_loads; /* true if the price ended in x: its unit is the mean load of a part */
};

/* Read a price such as "2x". Returns 0, or -EINVAL with found and expected. */
int mesh_price_read(struct mesh_price_word *word, const char *text,
                    struct cca_error *err);

/* Compute the prices for a trace: `repartition` for each repartition, `move` for each
 * cell that moves (in mean loads of a part: for all cells together). price->function is
 * NULL. */
void mesh_price_make(struct mesh_price *price, const struct mesh_loads *loads,
                     const struct mesh_price_word *repartition,
                     const struct mesh_price_word *move);

/* Result of one policy. */
struct mesh_result {
    const struct mesh_policy *policy; /* the policy, borrowed */
    /* [steps]: true to repartition before the step, see schedule.h */
    unsigned char *schedule;
    struct mesh_outcome outcome;
    double above_oracle; /* cost / cost of the optimum - 1; 0 if both are 0 */
};

struct mesh_simulation {
    struct mesh_result *results; /* [count] results in the order of the policies */
    size_t count;
    struct mesh_bounds bounds;
    struct mesh_result oracle; /* result of the optimal schedule; its `policy` is NULL */
};

/* Run `count` policies that have seen no step, and the optimum, over loads. `policies` is
 * borrowed as long as the simulation exists. Returns 0 or -ENOMEM, or the error of a
 * plugin's policy; freed by mesh_simulation_free in all cases. */
int mesh_simulate(struct mesh_simulation *simulation, const struct mesh_loads *loads,
                  const struct mesh_price *price, const struct mesh_policy *policies,
                  size_t count, struct cca_error *err);
void mesh_simulation_free(struct mesh_simulation *simulation);

/* Steps that no partition can balance, since a single cell is heavier than the mean load
 * of a part. */
struct mesh_heavy {
    /* number of steps whose heaviest cell exceeds the mean load of a part; if 0, all
     * members are 0 */
    int64_t steps;
    /* the step with the largest ratio of heaviest cell to mean load of a part; of equal
     * steps the first */
    int64_t worst;
    int64_t cell;  /* heaviest cell of the worst step; of equal cells the first */
    double factor; /* weight of `cell` / mean load of a part in that step */
};
void mesh_heavy_find(const struct mesh_loads *loads, struct mesh_heavy *heavy);

#endif
