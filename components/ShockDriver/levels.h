/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.h: what the driver does on all levels of the mesh between two steps. */
#ifndef COMPONENTS_SHOCKDRIVER_LEVELS_H
#define COMPONENTS_SHOCKDRIVER_LEVELS_H

#include "components/ShockDriver/run.h"

/* Set the initial state, and refine and set it anew until no flag asks for more. 0 or a
 * negative errno, which is reported. Collective, as all that follow. */
int levels_start(struct run *r);

/* Ask for the sizes of this rank's part, which a proxy records: cost is read against
 * them. Not collective. */
int levels_size(struct run *r);

/* Before a step: let the mesh give patches to other ranks, and refine it anew where the
 * step is one for that. */
int levels_arrange(struct run *r);

/* The step of level 0 that keeps all levels stable at Courant number 1. */
int levels_time_step(struct run *r, double *dt_s);

/* Count the cells that a step of level 0 advances. */
void levels_count(struct run *r);

#endif
