/* SPDX-License-Identifier: BSD-3-Clause */
/* live.h: a policy in a running program.
 *
 *     live = mesh_live_new(&source, &wish, err);
 *     for (step = 0; step < steps; step++) {
 *         if (step > 0 && mesh_live_step(live, weights, err) == 1)
 *             move cells to mesh_live_owners(live);
 *         compute; weights = the work of each cell in this step
 *     }
 *
 * To save time, call mesh_live_step before every k-th step only and set `every` to k.
 *
 * Policies see the same numbers as in a simulation with a lag of 1 (loads.h), so they
 * decide the same. One process decides: the caller gathers the weights there and sends
 * the owners. One thread at a time. */
#ifndef MESH_BALANCE_LIVE_H
#define MESH_BALANCE_LIVE_H

#include "mesh/balance/policy.h"
#include "mesh/balance/simulate.h"

struct mesh_live; /* opaque */

struct mesh_live_wish {
    const char *partitioner; /* name of a partitioner of partition.h; NULL: see `other` */
    /* partitioner of the caller, borrowed until mesh_live_free */
    const struct mesh_partitioner *other;
    /* text of a live policy, as for mesh_policy_read */
    const char *policy;
    int parts;
    /* in the unit of the weights ("250"), or in mean loads of a part over the steps seen
     * so far ("1.5x") */
    struct mesh_price_word repartition, move;
    /* number of steps of the whole run; 0: unknown */
    int64_t steps;
    int64_t every; /* steps from one mesh_live_step to the next; 0 counts as 1 */
};

/* Start a policy with a first partition, made of weights[cells] or, if NULL, of equal
 * weights. `source` gives the shape (its weights and steps are not used); it is borrowed
 * while the result exists. Returns NULL with `err`: -EINVAL a wrong or offline policy, an
 * unknown partitioner, parts out of bounds; -EDOM a weight; -ENOMEM. mesh_live_free(NULL)
 * is fine. */
struct mesh_live *mesh_live_new(const struct mesh_source *source,
                                const struct mesh_live_wish *wish, const float *weights,
                                struct cca_error *err);
void mesh_live_free(struct mesh_live *live);

/* Take the weights[cells] of the last computed step and decide before the next one, the
 * first time before step `every`. Returns 1: there are new owners; 0: unchanged. Errors,
 * owners unchanged: -EDOM a weight that is negative, infinite or not a number; -ENOMEM;
 * the partitioner's. */
int mesh_live_step(struct mesh_live *live, const float *weights, struct cca_error *err);

/* Return the owner of each cell, [cells], borrowed until the next call for `live`. */
const uint16_t *mesh_live_owners(const struct mesh_live *live);

#endif
