/* SPDX-License-Identifier: BSD-3-Clause */
/* cluster.h: boxes around flagged cells, after M. Berger and I. Rigoutsos, An algorithm
 * for point clustering and grid generation, IEEE Trans. Systems, Man and Cybernetics 21
 * (1991) 1278. */
#ifndef COMPONENTS_AMRMESH_BOXES_CLUSTER_H
#define COMPONENTS_AMRMESH_BOXES_CLUSTER_H

#include "components/AMRMesh/boxes/mask.h"

/* Append disjoint boxes that cover all flagged cells. A box is cut until the share of
 * flagged cells is at least `efficiency`: at a row or column without flags, else at the
 * largest sign change of the second difference of the flags per row (the signature), else
 * in half. A box with equally good cuts on both axes is cut on both, so that transposed
 * flags give transposed boxes.
 *
 *   flags       in       flags of the whole level, the same on all ranks
 *   efficiency  in       > 0, <= 1
 *   boxes       in, out  sorted; earlier entries stay first
 *
 * Returns 0 or -ENOMEM. */
int cluster_find(const struct mask *flags, double efficiency, struct boxes *boxes);

#endif
