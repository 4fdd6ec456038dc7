/* SPDX-License-Identifier: BSD-3-Clause */
/* QualityGauge: one number for the quality of a flux class on a test problem.
 *
 * It is connected to the driver's output port in place of FieldImage and prints one line.
 * The numbers are the quality attributes of the flux classes; scripts/quality.sh runs
 * them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/euler.h"
#include "components/gas.h"
#include "components/riemann_exact.h"
#include "ports/gas_port_signature.h"
#include "ports/output_port_signature.h"

struct gauge {
    struct output_port port;
    struct cca_services *services;
};

/* All cells of the domain in one array, so that sums do not depend on the ranks. */
struct cells {
    const struct mesh_domain *domain;
    ptrdiff_t plane; /* from one conserved variable to the next */
    double dx, dy;
    double *u; /* [EULER_NVAR][ny][nx] */
};

/* Work on one cell: its conserved variables and its left border. */
typedef void (*cell_visitor)(void *context, const struct cells *cells, const double *u,
                             double x);

static void cells_visit(const struct cells *cells, cell_visitor visit, void *context)
{
    for (int64_t j = 0; j < cells->domain->ny; j++)
        for (int64_t i = 0; i < cells->domain->nx; i++)
            visit(context, cells, cells->u + j * cells->domain->nx + i,
                  cells->domain->xlo + (double)i * cells->dx);
}

/* --- sod_l1: L1 error of the density in Sod's tube, diaphragm at x = 0.5, length 1  */

struct sod {
    struct exact_problem exact;
    double time_s, height, error;
};

static void sod_visit(void *context, const struct cells *cells, const double *u, double x)
{
    struct sod *s = context;
    double low = (x - .5) / s->time_s, high = (x + cells->dx - .5) / s->time_s;

    s->error += fabs(u[EULER_RHO] - exact_mean_density(&s->exact, low, high)) *
                cells->dx * cells->dy / s->height;
}

static int sod_l1(double gamma, const struct cells *cells, double time_s, double *value)
{
    const struct mesh_domain *domain = cells->domain;
    struct sod s = {
        .exact = {gamma, {1., 0., 1.}, {.125, 0., .1}, 0., 0.},
        .time_s = time_s,
        .height = domain->yhi - domain->ylo,
    };

    if (!(time_s > 0.) || exact_solve(&s.exact))
        return -EDOM;
    cells_visit(cells, sod_visit, &s);
    *value = s.error;
    return 0;
}

/* --- contact_cells: cells of a row that are neither gas, to 5 % of the jump --- */

struct contact {
    double least, most;
    double low, high;
    int64_t between;
};

static void range_visit(void *context, const struct cells *cells, const double *u,
                        double x)
{
    struct contact *c = context;

    (void)cells;
    (void)x;
    c->least = fmin(c->least, u[EULER_RHO]);
    c->most = fmax(c->most, u[EULER_RHO]);
}

static void between_visit(void *context, const struct cells *cells, const double *u,
                          double x)
{
    struct contact *c = context;

    (void)cells;
    (void)x;
    c->between += u[EULER_RHO] > c->low && u[EULER_RHO] < c->high;
}

static void contact_cells(const struct cells *cells, double *value)
{
    struct contact c = {.least = HUGE_VAL, .most = -HUGE_VAL};
    double margin;

    cells_visit(cells, range_visit, &c);
    margin = .05 * (c.most - c.least);
    c.low = c.least + margin;
    c.high = c.most - margin;
    cells_visit(cells, between_visit, &c);
    *value = (double)c.between / (double)cells->domain->ny;
}

/* --- transverse_speed: the largest |v|: zero in a plane flow along x ------ */

static void speed_visit(void *context, const struct cells *cells, const double *u,
                        double x)
{
    double *most = context;

    (void)x;
    *most = fmax(*most, fabs(u[EULER_V * cells->plane] / u[EULER_RHO]));
}

/* --- The component -------------------------------------------------------- */

/* Only on rank 0, which has all cells. */
static int gauge_print(struct gauge *self, const struct cells *cells, double time_s,
                       struct cca_error *err)
{
    const char *measure = cca_services_param_string(self->services, "measure");
    double gamma, value = 0.;
    int code = gas_gamma(self->services, &gamma);

    if (code)
        return cca_error_set(err, code, "no gas is connected");
    if (!strcmp(measure, "sod_l1"))
        code = sod_l1(gamma, cells, time_s, &value);
    else if (!strcmp(measure, "contact_cells"))
        contact_cells(cells, &value);
    else
        cells_visit(cells, speed_visit, &value);
    if (code)
        return cca_error_set(err, code, "no %s at time %g", measure, time_s);
    printf("%s: %s %.4g\n", cca_services_instance_name(self->services), measure, value);
    fflush(stdout);
    return 0;
}

static int gauge_write(struct output_port *port, struct mesh_port *mesh, int field,
                       double time_s, int64_t step, struct cca_error *err)
{
    struct gauge *self = cca_container_of(port, struct gauge, port);
    const struct mesh_domain *domain = mesh->domain(mesh);
    struct cells cells = {.domain = domain,
                          .plane = domain->nx * domain->ny,
                          .dx = (domain->xhi - domain->xlo) / (double)domain->nx,
                          .dy = (domain->yhi - domain->ylo) / (double)domain->ny};
    int prints = mesh->rank(mesh) == 0, code = 0;

    (void)step;
    if (prints && !(cells.u = calloc((size_t)cells.plane, EULER_NVAR * sizeof *cells.u)))
        code = cca_error_set(err, -ENOMEM,
                             "out of memory for %" PRId64 " x %" PRId64 " cells",
                             domain->nx, domain->ny);
    if (!code)
        code = mesh->gather(mesh, 0, field, cells.u);
    if (!code && prints)
        code = gauge_print(self, &cells, time_s, err);
    free(cells.u);
    return code;
}

static const struct output_port port = {.base = {OUTPUT_PORT_TYPE, sizeof port},
                                        .write = gauge_write};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct gauge, services),
    .name = "QualityGauge",
    .summary = "prints one number that says how well a test problem was solved",
    CCA_SIGNATURES(OUTPUT_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"output", offsetof(struct gauge, port), &port.base}),
    CCA_USES(GAS_USES),
    CCA_PARAMS({.name = "measure",
                .type = CCA_STRING,
                .value = "sod_l1",
                .choices = "sod_l1|contact_cells|transverse_speed",
                .help = "what to print"}),
};
