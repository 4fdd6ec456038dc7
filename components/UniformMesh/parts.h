/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the mesh share. */
#ifndef COMPONENTS_UNIFORMMESH_PARTS_H
#define COMPONENTS_UNIFORMMESH_PARTS_H

#include "components/UniformMesh/ghosts.h"
#include "components/UniformMesh/mesh.h"
#include "ports/balance_port.h"

/* --- gather.c ------------------------------------------------------------ */

/* A field and its distribution over ranks. */
struct gathering {
    const struct cut *x, *y;
    const struct ghosts *ghosts;
    const struct mesh_patch *patches; /* this rank's patches */
    double *const *data; /* [count] values of the field on each of this rank's patches */
    int components;
};

/* Gather the field in values[components][ny][nx] on rank 0. `port` is NULL if there is
 * only one rank. Returns 0; -ENOMEM, or the port's error. Collective. */
int gather(const struct gathering *g, struct exchange_port *port, double *values);

/* --- move.c -------------------------------------------------------------- */

struct moving {
    const struct ghosts *from, *to;
    const struct mesh_patch *leaving; /* this rank's patches in `from` */
    const struct mesh_patch *patches; /* this rank's patches in `to` */
    int components;
    int kept;        /* true: values are moved; false: arriving patches are zeroed */
    double **before; /* [from->count] */
    double **after;  /* [to->count] values of arriving patches, allocated by patches_move;
                        NULL: a patch that stays */
};

/* Move the values of arriving and leaving patches of a field; `patches` is the number
 * over all ranks. Returns 0; -ENOMEM, -ECANCELED, -EIO: `before` is unchanged.
 * Collective. */
int patches_move(struct moving *moving, int patches, struct exchange_port *ranks);
/* Move the patches that stay from `before`, where they become NULL, to `after`. */
void patches_take(struct moving *moving);
/* Free the allocated memory, also after a failure of patches_move. */
void patches_drop(struct moving *moving);

/* --- redistribute.c ------------------------------------------------------ */

/* Ask the balance port for owners and move the patches to them. `ranks` is NULL if there
 * is only one rank.
 *
 *   step   in   as in balance_port.h
 *   moved  out  cells of a field that this rank received
 *
 * Returns 1 if patches have moved, 0, or a negative errno with `err`: the mesh is then
 * unchanged. Collective. */
int redistribute(struct uniform_mesh *m, struct balance_port *port,
                 struct exchange_port *ranks, int64_t step, int64_t *moved,
                 struct cca_error *err);

#endif
