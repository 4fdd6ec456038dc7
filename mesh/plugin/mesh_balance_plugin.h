/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_balance_plugin.h: policies, partitioners and costs of your own for
 * `mastermind balance`.
 *
 *     cc -shared -fPIC -I PREFIX/include/mastermind my.c -o my.so
 *     mastermind balance field.mm --parts 16 --policy never,./my.so,oracle
 *     mastermind balance field.mm --parts 16 --partitioner ./my.so --price ./my.so:2.5
 *
 * The library exports one object:
 *
 *     const struct mesh_balance_plugin mesh_balance_plugin = {
 *         .abi = MESH_BALANCE_ABI, .size = sizeof(struct mesh_balance_plugin),
 *         .policy = my_policy};
 *
 * Each use (a policy, the partitioner, the cost) has a process of its own, in which the
 * library is loaded and called by one thread: it may keep state in variables. A process
 * that dies, or does not answer in time (a minute for each question), is named and ends
 * the verb with exit code 5. What it prints is not shown, but for one line then. */
#ifndef MESH_BALANCE_PLUGIN_H
#define MESH_BALANCE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MESH_BALANCE_ABI "mesh balance plugin/1"

/* The mesh and how it is shared; lives as long as the process. */
struct mesh_balance_mesh {
    int dims;              /* 1 to 3 */
    int parts;             /* into so many */
    int64_t n[3];          /* cells in each dimension, dimension 2 fastest, unused ones 1;
                              elements: their number, 1, 1 */
    const double *centres; /* elements: 3 coordinates each; NULL: a grid */
    int64_t steps;         /* of the trace */
};

/* What a running program knows before it computes a step. Loads and prices in the unit
 * of the weights. */
struct mesh_balance_seen {
    int64_t step;       /* from 0 */
    int64_t age;        /* steps that were computed with the partition that stands */
    double largest;     /* part load, under the partition that stands */
    double mean;        /* part load */
    double fresh;       /* largest part load under a partition that were made now */
    double price;       /* of making it, with the cells that would move */
    int64_t remaining;  /* steps from this one to the last */
    int64_t past_count; /* of the arrays below, 1 to 128 */
    const double *past; /* past[a]: largest part load now, under the partition made
                           of weights `a` steps older; past[0] = fresh */
    const double *past_price; /* of replacing each of them by a new one */
};

/* One repartition whose cost is asked. */
struct mesh_balance_move {
    int64_t step;  /* before which it is made, from 0 */
    int64_t moved; /* cells that change owner */
    int64_t cells; /* of the mesh */
    double mean;   /* part load at this step, in the unit of the weights */
};

struct mesh_balance_plugin {
    const char *abi; /* MESH_BALANCE_ABI */
    size_t size;     /* sizeof(struct mesh_balance_plugin) */

    /* Each may be NULL, where the library has no such thing. */

    /* Called before a trace begins: `argument` is what follows ":" in "./my.so:argument",
     * or "". `mesh` lives as long as the process. 0; else a failure, and the verb ends.
     */
    int (*begin)(const struct mesh_balance_mesh *mesh, const char *argument);
    /* Asked before each step in order: 1: repartition; 0: do not; negative: a failure. */
    int (*policy)(const struct mesh_balance_seen *seen);
    /* Partition by weights[cells], finite and at least 0, into owner[cells], each 0 <=
     * owner < parts. `before` has the owners of the step before, or is NULL. 0, or not: a
     * failure. */
    int (*partition)(const struct mesh_balance_mesh *mesh, const float *weights,
                     const int32_t *before, int32_t *owner);
    /* What a repartition costs, in the unit of the weights: finite, at least 0. */
    double (*cost)(const struct mesh_balance_move *move);
};

#ifdef __cplusplus
}
#endif
#endif
