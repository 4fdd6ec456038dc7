/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.h: plan where the ghost cells of a level come from: from other patches of the
 * level, and where there are none, from the coarser level. The port `ghosts` makes the
 * copies, the port `prolong_restrict` interpolates. */
#ifndef COMPONENTS_AMRMESH_GHOSTS_H
#define COMPONENTS_AMRMESH_GHOSTS_H

#include "components/AMRMesh/prolong.h"

struct hierarchy;

struct ghosts {
    struct copies copies; /* copies that this rank takes part in */
    int64_t stamp;        /* serial number of this plan */
    /* number of this rank's ghost cells that come from the same level */
    int64_t siblings;
    struct prolongation coarser;
};

/* Plan the ghost cells of level `l` and pass the copies to the port. Returns 0 or a
 * negative errno. */
int ghosts_plan(struct hierarchy *h, int l);
/* free the members of the struct; a zeroed struct is accepted */
void ghosts_done(struct ghosts *g);

/* Counts of one exchange on this rank. */
struct exchanged {
    /* number of cells that were filled; bytes of messages sent and received */
    int64_t cells, bytes;
    int64_t peers;
};

/* Fill the ghost cells of a field: implements `exchange` of the mesh port. */
int ghosts_exchange(struct hierarchy *h, int l, int field, double fraction,
                    struct exchanged *done);

#endif
