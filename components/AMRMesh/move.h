/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h: other patches of a level, and its fields moved over. */
#ifndef COMPONENTS_AMRMESH_MOVE_H
#define COMPONENTS_AMRMESH_MOVE_H

#include "components/AMRMesh/hierarchy.h"

/* Put `layout` (stolen, also on failure; shared) in place of level `l`, or on top where
 * there is none. Kept fields come from the old patches and where those had none, from the
 * coarser level; scratch fields are zeroed; old values are gone. Call hierarchy_link when
 * all levels are there.
 *
 *   moved  in, out  plus the cells of one field that came from other ranks' old patches
 *
 * 0 or a negative errno. Collective. */
int level_replace(struct hierarchy *h, int l, struct layout *layout, int64_t *moved);

#endif
