/* SPDX-License-Identifier: BSD-3-Clause */
/* ahead.h: the two policies that weigh what is to come: one guesses, one sees. */
#ifndef MESH_BALANCE_AHEAD_H
#define MESH_BALANCE_AHEAD_H

#include "mesh/balance/policy.h"

/* expect: whether repartitioning now is worth its price. 1, 0 or -ENOMEM. */
int mesh_expect(struct mesh_policy *policy, const struct mesh_seen *seen);

/* look:H: at each step the cheapest way through the `ahead` steps from there on is found,
 * as the oracle finds it, and its first decision is taken. 0 or -ENOMEM. */
int mesh_look(const struct mesh_loads *loads, const struct mesh_price *price,
              int64_t ahead, unsigned char *schedule);

#endif
