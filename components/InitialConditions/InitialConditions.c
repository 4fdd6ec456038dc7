/* SPDX-License-Identifier: BSD-3-Clause */
/* InitialConditions.c: domain and initial state of a problem that is chosen by parameter.
 *
 * A cell's state depends on its position in the domain, not on its patch. A cell that a
 * jump crosses has the mean of both sides. */
#include <math.h>
#include <string.h>

#include "components/InitialConditions/problem.h"
#include "components/euler.h"
#include "components/gas.h"
#include "ports/gas_port_signature.h"
#include "ports/initial_port_signature.h"

#define SAMPLES                                                                          \
    16 /* number of samples along and across in a cell that a jump crosses               \
        */

struct initial {
    struct initial_port port;
    struct cca_services *services;
};

/* A cell in the problem's directions: its indices `i`, `j` and its sizes, along and
 * across. */
struct cell {
    int64_t i, j;
    double ds, dt;
};

static int axis_of(const struct initial *k)
{
    return !strcmp(cca_services_param_string(k->services, "axis"), "y");
}

static int initial_extent(struct initial_port *self, struct mesh_domain *domain)
{
    struct initial *k = cca_container_of(self, struct initial, port);
    const struct problem *problem =
        problem_find(cca_services_param_string(k->services, "problem"));
    int turned = axis_of(k);

    domain->xlo = domain->ylo = 0.;
    domain->xhi = turned ? problem->height : problem->length;
    domain->yhi = turned ? problem->length : problem->height;
    return 0;
}

static int params_read(const struct initial *k, struct problem_params *params)
{
    const double degree = 3.14159265358979323846 / 180.;

    params->mach = cca_services_param_double(k->services, "mach");
    params->eta = cca_services_param_double(k->services, "eta");
    params->tan_angle = tan(cca_services_param_double(k->services, "angle") * degree);
    params->shock_at = cca_services_param_double(k->services, "shock_at");
    params->interface_at = cca_services_param_double(k->services, "interface_at");
    params->noise = cca_services_param_double(k->services, "noise");
    return gas_gamma(k->services, &params->gamma);
}

/* Compute the conserved state at a point of a cell; the point is given in fractions of
 * the cell's size. */
static void point_state(const struct problem *problem,
                        const struct problem_params *params, const struct cell *cell,
                        double along, double across, double q[EULER_NVAR])
{
    const struct problem_point at = {((double)cell->i + along) * cell->ds,
                                     ((double)cell->j + across) * cell->dt, cell->i,
                                     cell->j};
    double w[EULER_NVAR];

    problem->state(params, &at, w);
    euler_conserved(params->gamma, w, q);
}

static int cell_crossed(const struct problem *problem,
                        const struct problem_params *params, const struct cell *cell,
                        const double centre[EULER_NVAR])
{
    for (int corner = 0; corner < 4; corner++) {
        double q[EULER_NVAR];

        point_state(problem, params, cell, corner & 1, corner >> 1, q);
        if (memcmp(q, centre, sizeof q))
            return 1;
    }
    return 0;
}

static void cell_state(const struct problem *problem, const struct problem_params *params,
                       const struct cell *cell, double q[EULER_NVAR])
{
    point_state(problem, params, cell, .5, .5, q);
    if (!problem->averaged || !cell_crossed(problem, params, cell, q))
        return;
    memset(q, 0, EULER_NVAR * sizeof *q);
    for (int b = 0; b < SAMPLES; b++)
        for (int a = 0; a < SAMPLES; a++) {
            double sample[EULER_NVAR];

            point_state(problem, params, cell, (a + .5) / SAMPLES, (b + .5) / SAMPLES,
                        sample);
            for (int n = 0; n < EULER_NVAR; n++)
                q[n] += sample[n] / (SAMPLES * SAMPLES);
        }
}

static int initial_fill(struct initial_port *self, int nx, int ny,
                        const struct mesh_patch *patch, double *u)
{
    struct initial *k = cca_container_of(self, struct initial, port);
    const struct problem *problem =
        problem_find(cca_services_param_string(k->services, "problem"));
    struct problem_params params = {0};
    int turned = axis_of(k);
    int code = params_read(k, &params);

    if (code)
        return code;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            struct cell cell = {patch->ilo + i, patch->jlo + j, patch->dx, patch->dy};
            double q[EULER_NVAR];
            double *at = u + (j + patch->ghost) * patch->pitch + i + patch->ghost;

            if (turned)
                cell = (struct cell){cell.j, cell.i, cell.dt, cell.ds};
            cell_state(problem, &params, &cell, q);
            for (int n = 0; n < EULER_NVAR; n++)
                at[n * patch->plane] = q[turned && n == EULER_U   ? EULER_V
                                         : turned && n == EULER_V ? EULER_U
                                                                  : n];
        }
    return 0;
}

static const struct initial_port port = {.base = {INITIAL_PORT_TYPE, sizeof port},
                                         .extent = initial_extent,
                                         .fill = initial_fill};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct initial, services),
    .name = "InitialConditions",
    .summary = "domain and initial state: shock and interface, and test problems",
    CCA_SIGNATURES(INITIAL_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"initial", offsetof(struct initial, port), &port.base}),
    CCA_USES(GAS_USES),
    CCA_PARAMS({"problem", CCA_STRING, "shock_interface", NULL, NULL, PROBLEM_NAMES, NULL,
                "which problem", NULL},
               {"axis", CCA_STRING, "x", NULL, NULL, "x|y", NULL,
                "direction that the problem runs along; y is the transpose of x", NULL},
               {"mach", CCA_DOUBLE, "1.5", "1", "1000", NULL, NULL,
                "Mach number of the shock (shock_interface, oddeven)", NULL},
               {"eta", CCA_DOUBLE, "3", "1e-6", "1e6", NULL, NULL,
                "density ratio at the interface (shock_interface, contact)", NULL},
               {"angle", CCA_DOUBLE, "30", "0", "85", NULL, "degrees",
                "between the planes of shock and interface (shock_interface)", NULL},
               {"shock_at", CCA_DOUBLE, "0.3", NULL, NULL, NULL, NULL,
                "place of the shock at time 0 (shock_interface, oddeven)", NULL},
               {"interface_at", CCA_DOUBLE, "0.5", NULL, NULL, NULL, NULL,
                "where the interface meets the first wall (shock_interface)", NULL},
               {"noise", CCA_DOUBLE, "1e-6", "0", "0.1", NULL, NULL,
                "relative noise of the density (oddeven)", NULL}),
};
