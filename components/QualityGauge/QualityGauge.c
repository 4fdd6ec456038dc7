/* SPDX-License-Identifier: BSD-3-Clause */
/* QualityGauge: measure the quality of a flux class on a test problem as one number.
 *
 * It is connected to the driver's output port in place of FieldImage and prints one line.
 * The numbers are the quality attributes of the flux classes, which scripts/quality.sh
 * measures.
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
    ptrdiff_t plane; /* distance between conserved variables */
    double dx, dy;
    double *u; /* [EULER_NVAR][ny][nx], the density first */
};

/* Measure sod_l1: the L1 error of the density in Sod's tube of length 1 with the
 * diaphragm at x = 0.5. */
static int sod_l1(double gamma, const struct cells *cells, double time_s, double *value)
{
    const struct mesh_domain *domain = cells->domain;
    struct exact_problem exact = {gamma, {1., 0., 1.}, {.125, 0., .1}, 0., 0.};
    double height = domain->yhi - domain->ylo;

    if (!(time_s > 0.) || exact_solve(&exact))
        return -EDOM;
    *value = 0.;
    for (ptrdiff_t k = 0; k < cells->plane; k++) {
        double x = domain->xlo + (double)(k % domain->nx) * cells->dx;
        double low = (x - .5) / time_s, high = (x + cells->dx - .5) / time_s;

        *value += fabs(cells->u[k] - exact_mean_density(&exact, low, high)) * cells->dx *
                  cells->dy / height;
    }
    return 0;
}

/* Measure contact_cells: the number of cells in a row across the contact whose density is
 * more than 5 % of the jump away from both gases. */
static double contact_cells(const struct cells *cells)
{
    double least = HUGE_VAL, most = -HUGE_VAL, margin;
    int64_t between = 0;

    for (ptrdiff_t k = 0; k < cells->plane; k++) {
        least = fmin(least, cells->u[k]);
        most = fmax(most, cells->u[k]);
    }
    margin = .05 * (most - least);
    for (ptrdiff_t k = 0; k < cells->plane; k++)
        between += cells->u[k] > least + margin && cells->u[k] < most - margin;
    return (double)between / (double)cells->domain->ny;
}

/* Measure transverse_speed: the largest |v|, which is zero in a plane flow along x. */
static double transverse_speed(const struct cells *cells)
{
    double most = 0.;

    for (ptrdiff_t k = 0; k < cells->plane; k++)
        most = fmax(most, fabs(cells->u[EULER_V * cells->plane + k] / cells->u[k]));
    return most;
}

/* --- The component -------------------------------------------------------- */

/* Print the measured quality. Called only on rank 0, which has all cells. */
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
        value = contact_cells(cells);
    else
        value = transverse_speed(cells);
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
    .summary = "prints one number, the quality of the solution of a test problem",
    CCA_SIGNATURES(OUTPUT_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"output", offsetof(struct gauge, port), &port.base}),
    CCA_USES(GAS_USES),
    CCA_PARAMS({.name = "measure",
                .type = CCA_STRING,
                .value = "sod_l1",
                .choices = "sod_l1|contact_cells|transverse_speed",
                .help = "quantity to print"}),
};
