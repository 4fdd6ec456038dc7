/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h: one run of the shock problem: its ports, state and failures. */
#ifndef COMPONENTS_SHOCKDRIVER_RUN_H
#define COMPONENTS_SHOCKDRIVER_RUN_H

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

struct run {
    struct cca_services *services;
    struct mesh_port *mesh;
    struct integrator_port *integrator;
    struct initial_port *initial;
    struct boundary_port *boundary;
    struct characteristics_port *characteristics;
    /* NULL: not connected. */
    struct estimator_port *estimator;
    struct checkpoint_port *checkpoint;
    struct output_port *output;
    struct probe_port *probe;
    int field, flags; /* ids of the fields for the state and the refinement flags;
                       * flags: -1 without estimator */
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

#endif
