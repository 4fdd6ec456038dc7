/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: the ranks of an assembly, through the optional uses port `exchange`, which the
 * framework connects if there are several ranks. */
#ifndef COMPONENTS_RANKS_H
#define COMPONENTS_RANKS_H

#include "framework/cca.h"
#include "ports/exchange_port.h"

/* Declaration of the uses port `exchange`, for CCA_USES. */
#define RANKS_USES CCA_PORT("exchange", EXCHANGE_PORT_TYPE, struct exchange_port)

/* Return the number of this rank; 0 if there is only one. */
static inline int ranks_rank(struct cca_services *services)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, services, "exchange");

    return ranks ? ranks->rank(ranks) : 0;
}

/* Call barrier once: the first message of an instance creates its communicator and waits
 * for all ranks, but some ranks may never have a message.
 *
 *   ranks    in       NULL if there is only one rank
 *   has_met  in, out  flag of the instance, 0 at first
 *
 * Returns 0; -ECANCELED another rank has failed; -EIO. Collective. */
static inline int ranks_meet(struct exchange_port *ranks, int *has_met)
{
    int code = ranks && !*has_met ? ranks->barrier(ranks) : 0;

    *has_met = !code;
    return code;
}

/* Return the minimum of a value over the ranks; NaN if another rank has failed.
 * Collective. */
static inline double ranks_minimum(struct cca_services *services, double value)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, services, "exchange");

    return ranks && ranks->minimum(ranks, &value, 1) ? __builtin_nan("") : value;
}

#endif
