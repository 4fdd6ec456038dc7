/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_balance_plugin.h: policies, partitioners and costs of your own for `mastermind
 * balance`.
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
 * Each use (a policy, the partitioner, the cost) has a process of its own, in which one
 * thread loads and calls the library: it may keep state in variables. If a process dies
 * or does not answer a call within a minute, the verb names it and ends with exit code 5.
 * Output of the process is not shown, except one line in this message. */
#ifndef MESH_BALANCE_PLUGIN_H
#define MESH_BALANCE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MESH_BALANCE_ABI "mesh balance plugin/1"

/* The mesh, and the number of parts to divide it into; lives as long as the process. */
struct mesh_balance_mesh {
    int dims;              /* number of dimensions, 1 to 3 */
    int parts;             /* number of parts */
    int64_t n[3];          /* cells in each dimension, dimension 2 fastest, unused ones 1;
                              elements: their number, 1, 1 */
    const double *centres; /* centres of elements, 3 coordinates each; NULL: a grid */
    int64_t steps;         /* number of steps of the trace */
};

/* State known to a running program before it computes a step. Loads and prices are in the
 * unit of the weights. */
struct mesh_balance_seen {
    int64_t step;   /* number of the step, from 0 */
    int64_t age;    /* number of steps computed with the current partition */
    double largest; /* largest load of a part with the current partition */
    double mean;    /* mean load of a part */
    double fresh;   /* largest load of a part with a partition made from the present
                     * weights */
    double price; /* cost of replacing the current partition by a partition made now, with
                     the cost of the cells that move */
    int64_t remaining;  /* number of steps from this step to the last, both included */
    int64_t past_count; /* length of the arrays below, 1 to 128 */
    const double *past; /* past[a]: largest load of a part at this step with the partition
                         * made from the weights `a` steps ago; past[0] = fresh */
    const double *past_price; /* past_price[a]: cost of replacing the partition of past[a]
                                 by a new one */
};

/* A repartition whose cost is requested. */
struct mesh_balance_move {
    int64_t step;  /* step before which the repartition is made, from 0 */
    int64_t moved; /* number of cells that change owner */
    int64_t cells; /* number of cells of the mesh */
    double mean;   /* mean load of a part at this step, in the unit of the weights */
};

struct mesh_balance_plugin {
    const char *abi; /* MESH_BALANCE_ABI */
    size_t size;     /* sizeof(struct mesh_balance_plugin) */

    /* The functions. A function is NULL if the library does not offer its use. */

    /* Called before a trace begins: `argument` is the text after ":" in
     * "./my.so:argument", or "". `mesh` lives as long as the process. Returns 0; any
     * other value is a failure that ends the verb. */
    int (*begin)(const struct mesh_balance_mesh *mesh, const char *argument);
    /* Called before each step in order. Returns 1: repartition; 0: do not; negative: a
     * failure. */
    int (*policy)(const struct mesh_balance_seen *seen);
    /* Partition by weights[cells], finite and at least 0, into owner[cells], each 0 <=
     * owner < parts. `before` has the owners of the previous step, or is NULL. Returns 0;
     * any other value is a failure. */
    int (*partition)(const struct mesh_balance_mesh *mesh, const float *weights,
                     const int32_t *before, int32_t *owner);
    /* Returns the cost of a repartition in the unit of the weights: finite, at least
     * 0. */
    double (*cost)(const struct mesh_balance_move *move);
};

#ifdef __cplusplus
}
#endif
#endif
