/* SPDX-License-Identifier: BSD-3-Clause */
/* expect.c: repartition where waiting would cost more than the price. */
#include "mesh/balance/ahead.h"

/* As `loss`: when what was lost since the last repartition has reached the price. On a
 * loss that grows evenly that is the optimum. Or at once, where this step's loss would
 * reach FACTOR prices in an interval of the usual length: after a jump it does not wait.
 * Twice the price has the optimum of an even growth as its fixed point. */
int mesh_expect(const struct mesh_policy *policy, const struct mesh_seen *seen)
{
    const double factor = 1.5;
    double loss = seen->largest - seen->fresh;

    return loss > 0 &&
           (policy->lost >= seen->price || loss * policy->usual >= factor * seen->price);
}
