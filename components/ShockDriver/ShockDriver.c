/* SPDX-License-Identifier: BSD-3-Clause */
/* ShockDriver.c: run the shock problem: lay out the mesh, set the initial state, step to
 * the end. If an estimator is connected, the mesh is refined at the cells that it flags.
 *
 * All ports are held from the beginning of go to its end. One line of results goes to
 * stdout; progress goes to stderr if that is a terminal. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "components/ShockDriver/parts.h"
#include "components/euler.h"
#include "ports/boundary_port_signature.h"
#include "ports/characteristics_port_signature.h"
#include "ports/checkpoint_port_signature.h"
#include "ports/estimator_port_signature.h"
#include "ports/go_port_signature.h"
#include "ports/initial_port_signature.h"
#include "ports/integrator_port_signature.h"
#include "ports/mesh_port_signature.h"
#include "ports/output_port_signature.h"

struct driver {
    struct go_port port;
    struct cca_services *services;
};

int run_fail(struct run *r, int code, const char *what)
{
    return cca_services_fail(r->services, code, "step %" PRId64 ", time %.9g: %s: %s",
                             r->now.step, r->now.time_s, what,
                             strerror(code < 0 ? -code : code));
}

int run_fail_patch(struct run *r, int code, const struct mesh_patch *patch)
{
    char level[32] = "";

    if (patch->level)
        snprintf(level, sizeof level, "level %d, ", patch->level);
    return cca_services_fail(
        r->services, code, "step %" PRId64 ", time %.9g, %spatch %d: %s", r->now.step,
        r->now.time_s, level, patch->index,
        code == -EDOM ? "density or pressure is not positive" : strerror(-code));
}

static int mesh_prepare(struct run *r)
{
    struct mesh_domain domain = {
        .nx = cca_services_param_long(r->services, "nx"),
        .ny = cca_services_param_long(r->services, "ny"),
    };
    struct cca_error err = {0};
    int ghost = r->integrator->ghost_needed(r->integrator);
    int code = ghost < 0 ? ghost : r->initial->extent(r->initial, &domain);

    if (code)
        return run_fail(r, code, "no domain");
    domain.periodic_x = r->boundary->periodic(r->boundary, 0);
    domain.periodic_y = r->boundary->periodic(r->boundary, 1);
    if (domain.periodic_x < 0 || domain.periodic_y < 0)
        return run_fail(r, -EINVAL, "no borders");
    code = r->mesh->define(r->mesh, &domain, ghost, &err);
    if (!code)
        code = r->field =
            r->mesh->field_new(r->mesh, "conserved", EULER_NVAR, MESH_KEPT, &err);
    if (code >= 0 && r->estimator)
        code = r->flags = r->mesh->field_new(r->mesh, "flags", 1, MESH_SCRATCH, &err);
    if (code >= 0)
        code = r->integrator->prepare(r->integrator, r->field, &err);
    return code < 0 ? cca_services_fail(r->services, code, "%s", err.text) : 0;
}

/* Restore a checkpoint if the user requests one, else set the initial state. */
static int state_prepare(struct run *r)
{
    struct cca_error err = {0};
    int64_t bytes = 0; /* a proxy records it */
    int code = r->checkpoint ? r->checkpoint->wanted(r->checkpoint, &err) : 0;

    if (code == 0)
        return levels_start(r);
    if (code > 0)
        code =
            r->checkpoint->read(r->checkpoint, r->mesh, r->field, &r->now, &bytes, &err);
    if (code)
        return cca_services_fail(r->services, code, "%s", err.text);
    if (r->now.time_s > r->end_s)
        return cca_services_fail(r->services, -EINVAL,
                                 "the checkpoint is of time %.9g, beyond t_end %.9g",
                                 r->now.time_s, r->end_s);
    return levels_size(r);
}

/* Choose the stable time step, cut at the end time. */
static int step_choose(struct run *r, double *dt_s)
{
    double remaining = r->end_s - r->now.time_s;
    int code = levels_time_step(r, dt_s);

    if (code)
        return code;
    *dt_s *= r->cfl;
    /* the last step goes to the end time, so that rounding leaves no tiny step */
    if (*dt_s * (1. + 1e-9) >= remaining)
        *dt_s = remaining;
    if (!(r->now.time_s + *dt_s > r->now.time_s))
        return cca_services_fail(r->services, -ERANGE,
                                 "step %" PRId64
                                 ", time %.9g: a time step of %g s moves nothing",
                                 r->now.step, r->now.time_s, *dt_s);
    return 0;
}

static int output_write(struct run *r)
{
    struct cca_error err = {0};
    int code;

    if (!r->output || r->written_step == r->now.step)
        return 0;
    code =
        r->output->write(r->output, r->mesh, r->field, r->now.time_s, r->now.step, &err);
    if (code)
        return cca_services_fail(r->services, code, "step %" PRId64 ", time %.9g: %s",
                                 r->now.step, r->now.time_s,
                                 err.code ? err.text : strerror(-code));
    r->written_step = r->now.step;
    return 0;
}

/* Print progress, at most once in a second, so that a short run prints nothing. */
static void progress_show(struct run *r)
{
    time_t now;

    if (!r->tty)
        return;
    now = time(NULL);
    if (now - r->began < 2 || now == r->began + r->progress_shown)
        return;
    r->progress_shown = (int)(now - r->began);
    fprintf(stderr, "\rstep %" PRId64 "  time %.4f of %.4f ", r->now.step, r->now.time_s,
            r->end_s);
}

static int checkpoint_write(struct run *r)
{
    struct cca_error err = {0};
    int64_t bytes = 0; /* a proxy records it */
    int code;

    if (!r->checkpoint || !r->checkpoint_every)
        return 0;
    code = r->checkpoint->write(r->checkpoint, r->mesh, r->field, &r->now, &bytes, &err);
    return code ? cca_services_fail(r->services, code, "step %" PRId64 ", time %.9g: %s",
                                    r->now.step, r->now.time_s, err.text)
                : 0;
}

static int step_make(struct run *r)
{
    double dt_s = 0.;
    int code = levels_arrange(r);

    if (!code && r->probe)
        r->probe->step(r->probe, r->mesh, r->now.step, r->now.time_s);
    if (!code)
        code = step_choose(r, &dt_s);
    if (!code)
        code = r->integrator->advance(r->integrator, 0, r->now.time_s, dt_s);
    if (code)
        return run_fail(r, code, "the integrator failed");
    levels_count(r);
    r->now.time_s = dt_s == r->end_s - r->now.time_s ? r->end_s : r->now.time_s + dt_s;
    /* a step that was cut at the end time does not show the stable time step */
    if (r->now.time_s < r->end_s || r->now.step == 0)
        r->now.least_dt_s = fmin(r->now.least_dt_s, dt_s);
    r->now.step++;
    return 0;
}

static int run_steps(struct run *r)
{
    int code = 0, kept = 0;

    while (r->now.time_s < r->end_s && (!r->step_limit || r->now.step < r->step_limit)) {
        code = step_make(r);
        progress_show(r);
        kept = r->checkpoint_every && r->now.step % r->checkpoint_every == 0;
        if (!code && kept)
            code = checkpoint_write(r);
        if (!code && r->output_every && r->now.step % r->output_every == 0)
            code = output_write(r);
        if (code)
            return code;
    }
    if (!kept)
        code = checkpoint_write(r);
    return code ? code : output_write(r);
}

/* Print the levels of an adaptive mesh at the end, and the work of the whole run. */
static void levels_print(struct run *r)
{
    int levels = r->mesh->level_count(r->mesh);
    double uniform = (double)r->now.step, all = 0.;

    for (int l = 0; l < MESH_LEVELS; l++)
        if (r->now.updates[l]) {
            int ratio = l ? r->mesh->ratio(r->mesh, l - 1) : 1;

            all += (double)r->now.updates[l];
            uniform *= ratio * ratio * ratio;
        }
    uniform *= (double)r->mesh->cell_count(r->mesh, 0);
    printf("level   patches        cells   of the domain   cell updates\n");
    for (int l = 0; l < MESH_LEVELS && (l < levels || r->now.updates[l]); l++) {
        double part = 1.;

        for (int k = 0; k < l; k++)
            part /= r->mesh->ratio(r->mesh, k) * r->mesh->ratio(r->mesh, k);
        part *= (double)r->mesh->cell_count(r->mesh, l) /
                (double)r->mesh->cell_count(r->mesh, 0);
        printf("%5d %9d %12" PRId64 " %13.1f %% %14.4g\n", l,
               r->mesh->box_count(r->mesh, l), r->mesh->cell_count(r->mesh, l),
               100. * part, (double)r->now.updates[l]);
    }
    printf("all levels: %.4g cell updates, %.1f %% of those of a uniform mesh as fine\n",
           all, uniform > 0. ? 100. * all / uniform : 100.);
}

static void result_print(struct run *r)
{
    const struct mesh_domain *domain = r->mesh->domain(r->mesh);
    double least = r->now.step ? r->now.least_dt_s : 0.;

    printf("%s: steps %7" PRId64 "   time %12.6g   cells %7" PRId64 " x %-6" PRId64
           "   min dt %12.6g\n",
           cca_services_instance_name(r->services), r->now.step, r->now.time_s,
           domain->nx, domain->ny, least);
    if (r->now.updates[1])
        levels_print(r);
    fflush(stdout);
}

static int driver_go(struct go_port *self)
{
    struct driver *k = cca_container_of(self, struct driver, port);
    CCA_USE(struct mesh_port, mesh, k->services, "mesh");
    CCA_USE(struct integrator_port, integrator, k->services, "integrator");
    CCA_USE(struct initial_port, initial, k->services, "initial");
    CCA_USE(struct boundary_port, boundary, k->services, "boundary");
    CCA_USE(struct characteristics_port, characteristics, k->services, "characteristics");
    CCA_USE_OPTIONAL(struct estimator_port, estimator, k->services, "estimator");
    CCA_USE_OPTIONAL(struct checkpoint_port, checkpoint, k->services, "checkpoint");
    CCA_USE_OPTIONAL(struct output_port, output, k->services, "output");
    CCA_USE_OPTIONAL(struct probe_port, probe, k->services, "probe");
    struct run run = {
        .services = k->services,
        .mesh = mesh,
        .integrator = integrator,
        .initial = initial,
        .boundary = boundary,
        .characteristics = characteristics,
        .estimator = estimator,
        .checkpoint = checkpoint,
        .output = output,
        .probe = probe,
        .flags = -1,
        .end_s = cca_services_param_double(k->services, "t_end"),
        .cfl = cca_services_param_double(k->services, "cfl"),
        .step_limit = cca_services_param_long(k->services, "max_steps"),
        .output_every = cca_services_param_long(k->services, "output_every"),
        .regrid_every = cca_services_param_long(k->services, "regrid_every"),
        .checkpoint_every = cca_services_param_long(k->services, "checkpoint_every"),
        .now.least_dt_s = HUGE_VAL,
        .written_step = -1,
        .began = time(NULL),
    };
    int code;

    if (!mesh || !integrator || !initial || !boundary || !characteristics)
        return -ENOTCONN;
    run.tty = isatty(STDERR_FILENO) && mesh->rank(mesh) == 0;
    code = mesh_prepare(&run);
    if (!code)
        code = state_prepare(&run);
    if (!code)
        code = run_steps(&run);
    if (run.progress_shown)
        fputc('\n', stderr);
    if (!code)
        result_print(&run);
    return code;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = driver_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services),
    .name = "ShockDriver",
    .summary = "steps the shock problem from its initial state to the end time",
    CCA_SIGNATURES(GO_PORT_SIGNATURE, MESH_PORT_SIGNATURE, INTEGRATOR_PORT_SIGNATURE,
                   INITIAL_PORT_SIGNATURE, BOUNDARY_PORT_SIGNATURE,
                   CHARACTERISTICS_PORT_SIGNATURE, ESTIMATOR_PORT_SIGNATURE,
                   CHECKPOINT_PORT_SIGNATURE, OUTPUT_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"go", offsetof(struct driver, port), &port.base}),
    CCA_USES(CCA_REQUIRED("mesh", MESH_PORT_TYPE, struct mesh_port),
             CCA_REQUIRED("integrator", INTEGRATOR_PORT_TYPE, struct integrator_port),
             CCA_REQUIRED("initial", INITIAL_PORT_TYPE, struct initial_port),
             CCA_REQUIRED("boundary", BOUNDARY_PORT_TYPE, struct boundary_port),
             CCA_REQUIRED("characteristics", CHARACTERISTICS_PORT_TYPE,
                          struct characteristics_port),
             CCA_PORT("estimator", ESTIMATOR_PORT_TYPE, struct estimator_port),
             CCA_PORT("checkpoint", CHECKPOINT_PORT_TYPE, struct checkpoint_port),
             CCA_PORT("output", OUTPUT_PORT_TYPE, struct output_port),
             CCA_PORT("probe", PROBE_PORT_TYPE, struct probe_port)),
    CCA_PARAMS(
        {"nx", CCA_LONG, "128", "1", "1000000", NULL, "cells", "cells in x", NULL},
        {"ny", CCA_LONG, "32", "1", "1000000", NULL, "cells", "cells in y", NULL},
        {"t_end", CCA_DOUBLE, "3", "0", NULL, NULL, "s", "time to stop at", NULL},
        {"cfl", CCA_DOUBLE, "0.4", "1e-6", "1", NULL, NULL, "Courant number of a step",
         NULL},
        {"max_steps", CCA_LONG, "0", "0", NULL, NULL, NULL,
         "stop after so many; 0: no limit", NULL},
        {"regrid_every", CCA_LONG, "2", "0", NULL, NULL, "steps",
         "refine anew so often, where an estimator is connected; 0: at the start only",
         NULL},
        {"checkpoint_every", CCA_LONG, "0", "0", NULL, NULL, "steps",
         "write a checkpoint so often, and at the end; 0: none", NULL},
        {"output_every", CCA_LONG, "0", "0", NULL, NULL, "steps",
         "write output so often, and at the end; 0: at the end only", NULL}),
};
