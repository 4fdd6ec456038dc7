/* SPDX-License-Identifier: BSD-3-Clause */
/* owners.h: choose the rank of each patch of a level. */
#ifndef COMPONENTS_AMRMESH_OWNERS_H
#define COMPONENTS_AMRMESH_OWNERS_H

#include "components/AMRMesh/hierarchy.h"
#include "ports/balance_port.h"

/* Choose owners for the tiles of `layout`, which will become level `l` > 0: the rank with
 * the most of a tile's cells on the current level `l`, else on the level below; of equal
 * ones the lowest. The result is the same on all ranks. Returns 0 or -ENOMEM. */
int owners_find(const struct hierarchy *h, int l, struct layout *layout);

/* Move the patches of all levels to new ranks: by costs, or to given owners.
 *
 *   owners  in       [patches of all levels], by level and number; NULL: by costs
 *   moved   in, out  increased by the cells of one field received from other ranks
 *
 * Returns 1 if a patch has moved, 0, or a negative errno. Collective. */
int redistribute(struct hierarchy *h, const int *owners, int64_t *moved);
/* Redistribute to the owners that a balance port returns. Returns as redistribute; `err`
 * is set if the port failed. */
int redistribute_as_told(struct hierarchy *h, struct balance_port *port, int64_t step,
                         int64_t *moved, struct cca_error *err);

#endif
