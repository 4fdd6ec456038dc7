/* SPDX-License-Identifier: BSD-3-Clause */
/* levels.h: the driver's work on all levels of the mesh between two steps. */
#ifndef COMPONENTS_SHOCKDRIVER_LEVELS_H
#define COMPONENTS_SHOCKDRIVER_LEVELS_H

#include "components/ShockDriver/run.h"

/* Set the initial state, refine, and repeat until the flags change nothing. Returns 0 or
 * a negative errno, which is reported. Collective, like all functions below. */
int levels_start(struct run *r);

/* Call the mesh's size, so that a proxy records the sizes of this rank's part as
 * parameters for models of cost. Not collective. */
int levels_size(struct run *r);

/* Before a step: let the mesh move patches to other ranks, and refine it if it is due. */
int levels_arrange(struct run *r);

/* Find the step of level 0 that keeps all levels stable at Courant number 1. */
int levels_time_step(struct run *r, double *dt_s);

/* Count the cells that a step of level 0 advances. */
void levels_count(struct run *r);

#endif
