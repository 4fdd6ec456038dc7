/* SPDX-License-Identifier: BSD-3-Clause */
/* registers.h: fluxes through the border of a fine level, summed on both levels, after M.
 * Berger and P. Colella, J. Comput. Phys. 82 (1989) 64.
 *
 * A piece of the border is a row of coarse cells along one side of a fine tile that no
 * fine tile covers. The owner of the fine tile sums the fine fluxes, the owner of the
 * coarse tile the coarse ones. reflux() corrects the coarse cells by the difference. The
 * corrections of one cell are added in an order that does not depend on the tiles. */
#ifndef COMPONENTS_AMRMESH_REGISTERS_H
#define COMPONENTS_AMRMESH_REGISTERS_H

#include "components/AMRMesh/prolong.h"

enum { FLUXES = 5 }; /* of the flux port */

struct piece {
    int fine, coarse; /* tiles */
    int side;         /* of the fine tile, enum mesh_side */
    struct box box;   /* cells of the coarse tile */
    int64_t di, dj;   /* from the coarse tile to its image next to the fine one */
    double *fine_sum, *coarse_sum; /* [FLUXES][cells], NULL on other ranks */
    int *slots;                    /* [cells], on the coarse tile's rank */
};

/* A coarse cell next to the border. */
struct slot {
    int tile;
    int64_t i, j;
};

/* The pieces of each of this rank's tiles: of tile k from start[k] to start[k + 1]. */
struct piece_index {
    int *start, *at;
};

struct registers {
    int count, room;
    struct piece *pieces; /* that this rank takes part in */
    struct piece_index by_fine, by_coarse;
    int slot_count;
    struct slot *slots;
    double *corrections; /* [slot_count][2 axes][FLUXES] */
};

/* Lay them out. 0 or -ENOMEM. */
int registers_init(struct registers *r, const struct ranks *ranks,
                   const struct layout *fine, const struct space *fine_space,
                   const struct layout *coarse, const struct space *coarse_space);
void registers_done(struct registers *r); /* also of a zeroed one */

/* Add the fluxes of a local tile times `dt_s`. `local` counts this rank's tiles, flux is
 * [FLUXES][faces] as in the flux port. */
void registers_add_fine(struct registers *r, const struct layout *fine, int local,
                        int axis, const double *flux, double dt_s);
void registers_add_coarse(struct registers *r, const struct layout *coarse, int local,
                          int axis, const double *flux, double dt_s);

/* Correct the coarse cells and clear the sums. `size` is that of a coarse cell in x and
 * in y. 0 or a negative errno. Collective. */
int registers_reflux(struct registers *r, const struct ranks *ranks, int tag,
                     const struct layout *fine, const struct layout *coarse,
                     struct store *field, const double size[2]);

#endif
