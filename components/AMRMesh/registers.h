/* SPDX-License-Identifier: BSD-3-Clause */
/* registers.h: sum the fluxes through the border of a fine level on both levels, after M.
 * Berger and P. Colella, J. Comput. Phys. 82 (1989) 64.
 *
 * The owner of a fine tile sums the fine fluxes along each piece of the border
 * (border.h), the owner of the coarse tile sums the coarse fluxes. reflux() corrects the
 * coarse cells by the difference. The corrections of one cell are added in an order that
 * does not depend on the tiles. */
#ifndef COMPONENTS_AMRMESH_REGISTERS_H
#define COMPONENTS_AMRMESH_REGISTERS_H

#include "components/AMRMesh/border.h"

enum { FLUXES = 5 }; /* number of components in the flux port */

struct registers {
    struct border border;
    double *fine, *coarse; /* [FLUXES][cells] sums of each piece, from first * FLUXES
                            * on */
    /* messages with sums of fine fluxes to the ranks of the coarse tiles */
    struct neighbours send;
    double *corrections; /* [slots][2 axes][FLUXES] corrections of the coarse cells */
};

/* Allocate the sums. Returns 0 or -ENOMEM. */
int registers_init(struct registers *r, const struct ranks *ranks,
                   const struct layout *fine, const struct space *fine_space,
                   const struct layout *coarse, const struct space *coarse_space);
void registers_done(struct registers *r); /* free the members of the struct; a zeroed
                                             struct is accepted */

/* Add the fluxes of a local tile times `dt_s`. `local` is its index among this rank's
 * tiles, `flux` is [FLUXES][faces] as in the flux port. */
void registers_add_fine(struct registers *r, const struct layout *fine, int local,
                        int axis, const double *flux, double dt_s);
void registers_add_coarse(struct registers *r, const struct layout *coarse, int local,
                          int axis, const double *flux, double dt_s);

/* Correct the coarse cells and clear the sums. `size` is the size of a coarse cell in x
 * and y. Returns 0 or a negative errno. Collective. */
int registers_reflux(struct registers *r, const struct ranks *ranks, int tag,
                     const struct layout *coarse, struct store *field,
                     const double size[2]);

#endif
