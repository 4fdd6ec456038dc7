/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.h: where the ghost cells of a level come from: from other patches of the level,
 * and what those do not have, from the coarser level. The copies are made behind the port
 * `ghosts`, the interpolation behind `prolong_restrict`. */
#ifndef COMPONENTS_AMRMESH_GHOSTS_H
#define COMPONENTS_AMRMESH_GHOSTS_H

#include "components/AMRMesh/prolong.h"

struct hierarchy;

struct ghosts {
    struct copies copies; /* that this rank takes part in */
    int64_t stamp;        /* of this plan */
    int64_t siblings;     /* ghost cells of this rank that come from the same level */
    struct prolongation coarser;
};

/* Plan the ghost cells of level `l` anew and hand the copies to the port. 0 or a negative
 * errno. */
int ghosts_plan(struct hierarchy *h, int l);
void ghosts_done(struct ghosts *g); /* also of a zeroed one */

/* What one exchange did on this rank. */
struct exchanged {
    int64_t cells, bytes; /* filled; of messages sent and received */
    int64_t peers;
};

/* As in the mesh port. */
int ghosts_exchange(struct hierarchy *h, int l, int field, double fraction,
                    struct exchanged *done);

#endif
