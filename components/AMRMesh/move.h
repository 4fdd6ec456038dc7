/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h: replace the patches of a level, and move its fields to the new ones. */
#ifndef COMPONENTS_AMRMESH_MOVE_H
#define COMPONENTS_AMRMESH_MOVE_H

#include "components/AMRMesh/hierarchy.h"

/* Replace level `l`, or add it, with `layout` (stolen, also on failure; layout_share was
 * called). Kept fields are copied from the old patches, and computed from the coarser
 * level elsewhere; scratch fields are zeroed; old values are deleted. Call hierarchy_link
 * when all levels are complete.
 *
 *   moved  in, out  increased by the cells of one field received from other ranks' old
 *                   patches
 *
 * Returns 0 or a negative errno. Collective. */
int level_replace(struct hierarchy *h, int l, struct layout *layout, int64_t *moved);

#endif
