/* SPDX-License-Identifier: BSD-3-Clause */
/* sh_wall_meter.c: is connected between driver and RK2 and between RK2 and InviscidFlux,
 * and sums the fluxes through the borders of the domain: those of both stages, with the
 * weights of Heun's method. It is an output, too. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/integrator_port.h"
#include "ports/output_port.h"
#include "ports/rhs_port.h"
#include "tests/components/sh_meter_port.h"

struct meter {
    struct rhs_port rhs;
    struct integrator_port integrator;
    struct output_port output;
    struct meter_port report;
    struct cca_services *services;
    double rate[EULER_NVAR];  /* inflow per time of both stages, summed over patches */
    double total[EULER_NVAR]; /* compensated sum */
    double lost[EULER_NVAR];
    int64_t steps; /* begun since prepare */
    int writes;    /* of output */
    double time_s;
    int64_t step;
};

static void border_sum(struct meter *m, const struct mesh_patch *p, const double *flux_x,
                       const double *flux_y)
{
    for (int n = 0; n < EULER_NVAR; n++) {
        const double *fx = flux_x + (ptrdiff_t)n * p->ny * (p->nx + 1);
        const double *fy = flux_y + (ptrdiff_t)n * (p->ny + 1) * p->nx;

        for (int j = 0; j < p->ny; j++) {
            if (p->boundary & 1u << MESH_XLO)
                m->rate[n] += p->dy * fx[(ptrdiff_t)j * (p->nx + 1)];
            if (p->boundary & 1u << MESH_XHI)
                m->rate[n] -= p->dy * fx[(ptrdiff_t)j * (p->nx + 1) + p->nx];
        }
        for (int i = 0; i < p->nx; i++) {
            if (p->boundary & 1u << MESH_YLO)
                m->rate[n] += p->dx * fy[i];
            if (p->boundary & 1u << MESH_YHI)
                m->rate[n] -= p->dx * fy[(ptrdiff_t)p->ny * p->nx + i];
        }
    }
}

static int meter_evaluate(struct rhs_port *self, int nx, int ny,
                          const struct mesh_patch *patch, const double *u, double *dudt,
                          double *flux_x, double *flux_y)
{
    struct meter *m = cca_container_of(self, struct meter, rhs);
    size_t x_count = EULER_NVAR * ((size_t)nx + 1) * (size_t)ny;
    size_t y_count = EULER_NVAR * (size_t)nx * ((size_t)ny + 1);
    double *flux = malloc((x_count + y_count) * sizeof *flux);
    CCA_USE(struct rhs_port, target, m->services, "target_rhs");
    int code = !flux ? -ENOMEM : !target ? -ENOTCONN : 0;

    (void)flux_x;
    (void)flux_y;
    if (!code && patch->index == cca_services_param_long(m->services, "fail_patch") &&
        m->steps == cca_services_param_long(m->services, "fail_step"))
        code = -EDOM;
    if (!code)
        code = target->evaluate(target, nx, ny, patch, u, dudt, flux, flux + x_count);
    if (!code)
        border_sum(m, patch, flux, flux + x_count);
    free(flux);
    return code;
}

static int meter_rhs_ghost(struct rhs_port *self)
{
    struct meter *m = cca_container_of(self, struct meter, rhs);
    CCA_USE(struct rhs_port, target, m->services, "target_rhs");

    return target ? target->ghost_needed(target) : -ENOTCONN;
}

static int meter_prepare(struct integrator_port *self, int field, struct cca_error *err)
{
    struct meter *m = cca_container_of(self, struct meter, integrator);
    CCA_USE(struct integrator_port, target, m->services, "target_integrator");
    int code = target ? target->prepare(target, field, err) : -ENOTCONN;

    memset(m->total, 0, sizeof m->total);
    memset(m->lost, 0, sizeof m->lost);
    m->writes = 0;
    m->steps = 0;
    return code;
}

static int meter_advance(struct integrator_port *self, int level, double time_s,
                         double dt_s)
{
    struct meter *m = cca_container_of(self, struct meter, integrator);
    CCA_USE(struct integrator_port, target, m->services, "target_integrator");
    int code = -ENOTCONN;

    memset(m->rate, 0, sizeof m->rate);
    m->steps++;
    if (target)
        code = target->advance(target, level, time_s, dt_s);
    for (int n = 0; n < EULER_NVAR; n++) {
        double add = .5 * dt_s * m->rate[n] - m->lost[n];
        double sum = m->total[n] + add;

        m->lost[n] = (sum - m->total[n]) - add;
        m->total[n] = sum;
    }
    return code;
}

static int meter_integrator_ghost(struct integrator_port *self)
{
    struct meter *m = cca_container_of(self, struct meter, integrator);
    CCA_USE(struct integrator_port, target, m->services, "target_integrator");

    return target ? target->ghost_needed(target) : -ENOTCONN;
}

static double meter_sum(struct meter_port *self, int n)
{
    return cca_container_of(self, struct meter, report)->total[n];
}

static int meter_write(struct output_port *self, struct mesh_port *mesh, int field,
                       double time_s, int64_t step, struct cca_error *err)
{
    struct meter *m = cca_container_of(self, struct meter, output);

    (void)mesh;
    (void)field;
    (void)err;
    m->writes++;
    m->time_s = time_s;
    m->step = step;
    return 0;
}

static int meter_writes(struct meter_port *self)
{
    return cca_container_of(self, struct meter, report)->writes;
}

static double meter_time_s(struct meter_port *self)
{
    return cca_container_of(self, struct meter, report)->time_s;
}

static int64_t meter_step(struct meter_port *self)
{
    return cca_container_of(self, struct meter, report)->step;
}

static const struct rhs_port rhs = {.base = {RHS_PORT_TYPE, sizeof rhs},
                                    .evaluate = meter_evaluate,
                                    .ghost_needed = meter_rhs_ghost};
static const struct integrator_port integrator = {
    .base = {INTEGRATOR_PORT_TYPE, sizeof integrator},
    .prepare = meter_prepare,
    .advance = meter_advance,
    .ghost_needed = meter_integrator_ghost,
};
static const struct meter_port report = {
    .base = {METER_PORT_TYPE, sizeof report},
    .sum = meter_sum,
    .writes = meter_writes,
    .time_s = meter_time_s,
    .step = meter_step,
};
static const struct output_port output = {.base = {OUTPUT_PORT_TYPE, sizeof output},
                                          .write = meter_write};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct meter, services),
    .name = "WallMeter",
    .summary = "sums what passes through the borders of the domain",
    CCA_IMPLEMENTS({"rhs", offsetof(struct meter, rhs), &rhs.base},
                   {"integrator", offsetof(struct meter, integrator), &integrator.base},
                   {"report", offsetof(struct meter, report), &report.base},
                   {"output", offsetof(struct meter, output), &output.base}),
    CCA_USES(CCA_PORT("target_rhs", RHS_PORT_TYPE, struct rhs_port),
             CCA_PORT("target_integrator", INTEGRATOR_PORT_TYPE, struct integrator_port)),
    CCA_PARAMS({"fail_step", CCA_LONG, "0", "0", NULL, NULL, NULL,
                "step whose evaluation fails; 0: none", NULL},
               {"fail_patch", CCA_LONG, "0", "0", NULL, NULL, NULL,
                "patch on which it fails", NULL}),
};
