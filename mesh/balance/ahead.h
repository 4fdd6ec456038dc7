/* SPDX-License-Identifier: BSD-3-Clause */
/* ahead.h: the policies expect (estimates future losses) and look:H (sees H steps of a
 * trace). */
#ifndef MESH_BALANCE_AHEAD_H
#define MESH_BALANCE_AHEAD_H

#include "mesh/balance/policy.h"

/* Policy expect: whether repartitioning now is worth its price. Returns 1, 0 or -ENOMEM.
 */
int mesh_expect(struct mesh_policy *policy, const struct mesh_seen *seen);

/* Policy look:H: at each step, find the cheapest schedule of the next `ahead` steps, as
 * the oracle does, and take its first decision. Returns 0 or -ENOMEM. */
int mesh_look(const struct mesh_loads *loads, const struct mesh_price *price,
              int64_t ahead, unsigned char *schedule);

#endif
