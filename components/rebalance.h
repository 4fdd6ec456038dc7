/* SPDX-License-Identifier: BSD-3-Clause */
/* rebalance.h: ask the optional uses port `balance` of a mesh for owners of patches. */
#ifndef COMPONENTS_REBALANCE_H
#define COMPONENTS_REBALANCE_H

#include <errno.h>

#include "framework/cca.h"
#include "ports/balance_port.h"
#include "ports/exchange_port.h"

/* Declaration of the uses port `balance`, for CCA_USES. */
#define REBALANCE_USES CCA_PORT("balance", BALANCE_PORT_TYPE, struct balance_port)

/* Check that all ranks got the same answer: a hash of the owners, as whole doubles, is
 * compared by its minimum and maximum. Returns 0; -EBADMSG: they differ; -ECANCELED;
 * -EIO. Collective. */
static inline int rebalance_agree(struct exchange_port *ranks, int changed,
                                  const int *owners, int count)
{
    uint64_t hash = (uint64_t)changed;
    double ends[2];
    int code;

    for (int k = 0; changed && k < count; k++)
        hash = (hash ^ (uint64_t)owners[k]) * 1099511628211u + 1;
    hash ^= hash >> 32;
    ends[0] = (double)(uint32_t)hash;
    ends[1] = -ends[0];
    code = ranks ? ranks->minimum(ranks, ends, 2) : 0;
    return code ? code : ends[0] == -ends[1] ? 0 : -EBADMSG;
}

/* Ask for owners and check the answer. Returns 1 if at least one patch gets a new owner:
 * owners[count] has the new owners; 0 if all patches stay; a negative errno with `err`.
 * Collective. */
static inline int rebalance_ask(struct balance_port *port, struct exchange_port *ranks,
                                int64_t step, const struct balance_mesh *mesh,
                                const struct balance_patch *patches, int count,
                                int *owners, struct cca_error *err)
{
    int changed = 0, code;

    for (int k = 0; k < count; k++)
        owners[k] = patches[k].rank;
    code = port->ask(port, step, mesh, patches, count, owners, err);
    for (int k = 0; k < count && code > 0; k++) {
        if (owners[k] < 0 || owners[k] >= mesh->ranks)
            code = cca_error_set(err, -EINVAL,
                                 "balance: found rank %d for patch %d of level %d, "
                                 "expected 0 to %d",
                                 owners[k], patches[k].number, patches[k].level,
                                 mesh->ranks - 1);
        changed |= owners[k] != patches[k].rank;
    }
    if (code < 0)
        return code;
    code = rebalance_agree(ranks, code > 0 && changed, owners, count);
    if (code == -EBADMSG)
        cca_error_set(err, code, "balance: the ranks got different owners");
    return code ? code : changed;
}

#endif
