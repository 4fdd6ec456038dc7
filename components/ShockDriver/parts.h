/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the class share. */
#ifndef COMPONENTS_SHOCKDRIVER_PARTS_H
#define COMPONENTS_SHOCKDRIVER_PARTS_H

#include <time.h>

#include "framework/cca.h"
#include "ports/boundary_port.h"
#include "ports/characteristics_port.h"
#include "ports/checkpoint_port.h"
#include "ports/estimator_port.h"
#include "ports/initial_port.h"
#include "ports/integrator_port.h"
#include "ports/output_port.h"
#include "ports/probe_port.h"

/* --- run ----------------------------------------------------------------- */

/* One run of the shock problem: its ports, state and failures. */

struct run {
    struct cca_services *services;
    struct mesh_port *mesh;
    struct integrator_port *integrator;
    struct initial_port *initial;
    struct boundary_port *boundary;
    struct characteristics_port *characteristics;
    /* The following ports are NULL if they are not connected. */
    struct estimator_port *estimator;
    struct checkpoint_port *checkpoint;
    struct output_port *output;
    struct probe_port *probe;
    int field, flags; /* ids of the fields with the state and with refinement flags;
                         `flags` is -1 without estimator */
    struct checkpoint_moment now;
    double end_s, cfl;
    int64_t step_limit, regrid_every, output_every, checkpoint_every, written_step;
    time_t began;
    int tty, progress_shown;
};

/* Report a failure, unless the failed component has reported it. Both return `code`.
 * `what` names the step; `patch` may be NULL. */
int run_fail(struct run *r, int code, const char *what);
int run_fail_patch(struct run *r, int code, const struct mesh_patch *patch);

/* --- levels.c ------------------------------------------------------------ */

/* Set the initial state and refine the mesh; repeat this until no level changes. Returns
 * 0 or a negative errno, which is reported. Collective, like all functions below. */
int levels_start(struct run *r);

/* Call `size` of the mesh port, so that a proxy records the sizes of this rank's part of
 * the mesh as parameters for models of cost. Not collective. */
int levels_size(struct run *r);

/* Before a step: let the mesh move patches to other ranks, and refine it if it is due. */
int levels_arrange(struct run *r);

/* Find the step of level 0 that keeps all levels stable at Courant number 1. */
int levels_time_step(struct run *r, double *dt_s);

/* Count the cells that a step of level 0 advances. */
void levels_count(struct run *r);

#endif
