/* SPDX-License-Identifier: BSD-3-Clause */
/* owners.h: which rank has which patch of a level. */
#ifndef COMPONENTS_AMRMESH_OWNERS_H
#define COMPONENTS_AMRMESH_OWNERS_H

#include "components/AMRMesh/hierarchy.h"
#include "ports/balance_port.h"

/* Choose owners for the tiles of `layout`, which is to become level `l` > 0: the rank
 * that has most of a tile's cells on level `l` as it is now, else on the level below; the
 * lowest of equals. The answer is the same on all ranks. 0 or -ENOMEM. */
int owners_find(const struct hierarchy *h, int l, struct layout *layout);

/* Give the patches of all levels to ranks: by their costs, or as owners say.
 *
 *   owners  in       [patches of all levels], by level and number; NULL: by costs
 *   moved   in, out  plus the cells of one field that came from other ranks
 *
 * 1 where any has moved, 0, or a negative errno. Collective. */
int redistribute(struct hierarchy *h, const int *owners, int64_t *moved);
/* Ask a balance port, and do as it says. As redistribute; `err` where the port failed. */
int redistribute_as_told(struct hierarchy *h, struct balance_port *port, int64_t step,
                         int64_t *moved, struct cca_error *err);

#endif
