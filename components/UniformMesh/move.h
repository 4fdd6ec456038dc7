/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h: move the values of a field with its patches. */
#ifndef COMPONENTS_UNIFORMMESH_MOVE_H
#define COMPONENTS_UNIFORMMESH_MOVE_H

#include "components/UniformMesh/ghosts.h"

struct moving {
    const struct ghosts *from, *to;
    const struct mesh_patch *leaving; /* this rank's patches in `from` */
    const struct mesh_patch *patches; /* this rank's patches in `to` */
    int components;
    int kept;        /* 1: values are moved; 0: arriving patches are zeroed */
    double **before; /* [from->count] */
    double **after;  /* [to->count], allocated here; NULL: a patch that stays */
};

/* Move the values of arriving and leaving patches of a field; `patches` is the number
 * over all ranks. Returns 0; -ENOMEM, -ECANCELED, -EIO: `before` is unchanged.
 * Collective. */
int patches_move(struct moving *moving, int patches, struct exchange_port *ranks);
/* Move the patches that stay from `before`, where they become NULL, to `after`. */
void patches_take(struct moving *moving);
/* Free the allocated memory, also after a failure of patches_move. */
void patches_drop(struct moving *moving);

#endif
