/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h: the values of a field go where its patches go. */
#ifndef COMPONENTS_UNIFORMMESH_MOVE_H
#define COMPONENTS_UNIFORMMESH_MOVE_H

#include "components/UniformMesh/ghosts.h"

struct moving {
    const struct ghosts *from, *to;
    const struct mesh_patch *leaving; /* this rank's, as `from` has them */
    const struct mesh_patch *patches; /* as `to` has them */
    int components;
    int kept;        /* values move; else they are zeroed where patches come */
    double **before; /* [from->count] */
    double **after;  /* [to->count], made here; NULL: a patch that stays */
};

/* Move what comes and goes of a field; `patches` of all ranks. 0; -ENOMEM, -ECANCELED,
 * -EIO: `before` is as it was. Collective. */
int patches_move(struct moving *moving, int patches, struct exchange_port *ranks);
/* Take over what stays: it is NULL in `before` then. */
void patches_take(struct moving *moving);
/* Free what was made, also after patches_move has failed. */
void patches_drop(struct moving *moving);

#endif
