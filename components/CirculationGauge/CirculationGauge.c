/* SPDX-License-Identifier: BSD-3-Clause */
/* CirculationGauge.c: measure the circulation that a shock deposits on an inclined
 * interface, and print it beside the exact local theory and a scaling law.
 *
 * It is connected to the driver's output port, and its parameters are those of
 * InitialConditions. Each output is one sample. The position of the node, where the shock
 * meets the interface, is known: it moves along the interface at V = W / sin(angle).
 * While the node crosses a window of heights, circulation grows as the node moves, and a
 * straight line through the samples gives the deposition rate. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "components/CirculationGauge/parts.h"
#include "components/euler.h"
#include "components/gas.h"
#include "components/shock_polar.h"
#include "ports/gas_port_signature.h"
#include "ports/output_port_signature.h"

/* Cells along x in which the numerical scheme deposits the vortex sheet. */
#define NODE_CELLS 8

#define LEAST_SAMPLES 3

/* Sums for a least-squares line. Times are relative to the first sample. */
struct samples {
    int64_t count;
    double first_s, t, tt, circulation, t_circulation;
    int64_t strength_count;
    double strength; /* sum of the samples of the vortex sheet's strength */
};

struct gauge {
    struct output_port port;
    struct cca_services *services;
    int64_t next_step; /* number of the next step; an output with a smaller step number
                          begins a new run */
    struct samples samples;
    int printed;
};

/* The problem as given by the parameters, and the values predicted by theory. */
struct theory {
    struct polar polar;
    enum polar_kind kind;
    double foot; /* time at which the node, where shock and interface meet, starts from
                    the first wall, at y = ylo */
    double rise; /* speed of the node in y */
    double low, high; /* range of y in which samples are taken */
};

static double param(const struct gauge *k, const char *name)
{
    return cca_services_param_double(k->services, name);
}

static int theory_read(const struct gauge *k, const struct mesh_domain *domain,
                       struct theory *theory)
{
    const double degree = 3.14159265358979323846 / 180.;
    double height = domain->yhi - domain->ylo;
    struct polar *polar = &theory->polar;
    int code;

    *polar = (struct polar){.mach = param(k, "mach"),
                            .eta = param(k, "eta"),
                            .angle = param(k, "angle") * degree};
    code = gas_gamma(k->services, &polar->gamma);
    if (code)
        return code;
    theory->kind = polar_solve(polar);
    theory->foot = (param(k, "interface_at") - param(k, "shock_at")) / polar->shock_speed;
    theory->rise = polar->node_speed * cos(polar->angle);
    theory->low = domain->ylo + param(k, "window_low") * height;
    theory->high = domain->ylo + param(k, "window_high") * height;
    return 0;
}

/* --- Samples ----------------------------------------------------------------- */

static void samples_add(struct samples *s, double time_s, double circulation)
{
    double t;

    if (s->count == 0)
        s->first_s = time_s;
    t = time_s - s->first_s;
    s->count++;
    s->t += t;
    s->tt += t * t;
    s->circulation += circulation;
    s->t_circulation += t * circulation;
}

/* Return the slope of the least-squares line: circulation per second. */
static double samples_rate(const struct samples *s)
{
    double n = (double)s->count;

    return (n * s->t_circulation - s->t * s->circulation) / (n * s->tt - s->t * s->t);
}

/* Append a line to the file for each output; the first output of a run begins the
 * file. */
static int csv_write(const char *path, int begins, double time_s,
                     const struct sheet *sheet, double node, struct cca_error *err)
{
    FILE *file = fopen(path, begins ? "w" : "a");
    int failed = 1;

    if (file) {
        if (begins)
            fputs("time_s,circulation,band_cells,node_y\n", file);
        fprintf(file, "%.9g,%.9g,%" PRId64 ",%.9g\n", time_s, sheet->circulation,
                sheet->cells, node);
        failed = ferror(file);
        failed |= fclose(file) != 0;
    }
    return failed ? cca_error_set(err, errno ? -errno : -EIO, "cannot write '%s': %s",
                                  path, strerror(errno))
                  : 0;
}

/* --- Result ------------------------------------------------------------------- */

static double percent(double value, double reference)
{
    return 100. * (value / reference - 1.);
}

/* Print the measured deposition rate, then the values of the exact theory and of the
 * scaling law, each with the deviation. */
static void result_print(const struct gauge *k, const struct theory *theory)
{
    static const char *const waves[] = {"reflected shock", "reflected expansion",
                                        "irregular"};
    const struct samples *samples = &k->samples;
    const struct polar *polar = &theory->polar;
    const char *name = cca_services_instance_name(k->services);
    double rate = samples_rate(samples) / polar->node_speed, law = polar_law(polar);

    printf("%s: deposition %8.4f", name, rate);
    if (theory->kind != POLAR_IRREGULAR)
        printf("   polar %8.4f  %+5.1f%%   law %8.4f  %+5.1f%%", polar->circulation,
               percent(rate, polar->circulation), law, percent(law, polar->circulation));
    else
        printf("   law %8.4f", law);
    printf("   %s\n", waves[theory->kind]);
    if (samples->strength_count) {
        double strength = samples->strength / (double)samples->strength_count;

        printf("%s: sheet      %8.4f   polar %8.4f  %+5.1f%%\n", name, strength,
               polar->sheet, percent(strength, polar->sheet));
    }
    fflush(stdout);
}

/* Print the result once in a run, after the node, where the shock meets the interface,
 * has left the window. */
static int result_report(struct gauge *k, const struct theory *theory,
                         struct cca_error *err)
{
    if (k->samples.count < LEAST_SAMPLES)
        return cca_error_set(err, -EINVAL,
                             "%" PRId64 " outputs while the node crosses the window from "
                             "y = %g to %g, at least %d are needed: write more often",
                             k->samples.count, theory->low, theory->high, LEAST_SAMPLES);
    result_print(k, theory);
    k->printed = 1;
    return 0;
}

/* --- The component -------------------------------------------------------------- */

/* Add a sample of the vortex sheet's strength, in the part behind the node that waves
 * from the wall have not reached. */
static void strength_add(struct samples *samples, const struct sheet *sheet,
                         const struct raster *raster, const struct theory *theory,
                         double node)
{
    const struct polar *polar = &theory->polar;
    double way = (node - raster->ylo) / cos(polar->angle), strength;
    double quiet = polar->undisturbed * way * cos(polar->angle - polar->deflection);
    double smeared = NODE_CELLS * raster->dx / tan(polar->angle);

    if (theory->kind == POLAR_IRREGULAR ||
        sheet_strength(sheet, raster, node - quiet, node - smeared, &strength))
        return;
    samples->strength += strength;
    samples->strength_count++;
}

/* Take a sample of the circulation. Called only on rank 0, which has the field. */
static int sample_take(struct gauge *k, const struct raster *raster,
                       const struct theory *theory, double time_s, int begins,
                       struct cca_error *err)
{
    const char *path = cca_services_param_string(k->services, "file");
    double node = raster->ylo + (time_s - theory->foot) * theory->rise;
    struct sheet sheet;
    int code = sheet_find(raster, &sheet);

    if (code)
        code = cca_error_set(err, code, "out of memory for a band of cells");
    else if (*path)
        code = csv_write(path, begins, time_s, &sheet, node, err);
    if (!code && node >= theory->low && node <= theory->high) {
        samples_add(&k->samples, time_s, sheet.circulation);
        strength_add(&k->samples, &sheet, raster, theory, node);
    }
    sheet_done(&sheet);
    if (!code && node > theory->high && !k->printed)
        code = result_report(k, theory, err);
    return code;
}

static int gauge_write(struct output_port *port, struct mesh_port *mesh, int field,
                       double time_s, int64_t step, struct cca_error *err)
{
    struct gauge *k = cca_container_of(port, struct gauge, port);
    int begins = step < k->next_step || k->next_step == 0;
    double low = param(k, "window_low"), high = param(k, "window_high");
    struct raster raster;
    struct theory theory;
    int code;

    if (!(low < high))
        return cca_error_set(err, -EINVAL, "window_low %g is not below window_high %g",
                             low, high);
    code = raster_read(&raster, mesh, field, EULER_NVAR, err);
    if (begins) {
        k->samples = (struct samples){0};
        k->printed = 0;
    }
    k->next_step = step + 1;
    if (!code && raster.values) {
        code = theory_read(k, mesh->domain(mesh), &theory);
        code = code ? cca_error_set(err, code, "no gas is connected")
                    : sample_take(k, &raster, &theory, time_s, begins, err);
    }
    raster_done(&raster);
    return code;
}

static const struct output_port port = {.base = {OUTPUT_PORT_TYPE, sizeof port},
                                        .write = gauge_write};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct gauge, services),
    .name = "CirculationGauge",
    .summary = "measures the circulation that a shock deposits on an inclined interface",
    CCA_SIGNATURES(OUTPUT_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"output", offsetof(struct gauge, port), &port.base}),
    CCA_USES(GAS_USES),
    CCA_PARAMS({"mach", CCA_DOUBLE, "1.5", "1.000001", "1000", NULL, NULL,
                "Mach number of the shock", NULL},
               {"eta", CCA_DOUBLE, "3", "1e-6", "1e6", NULL, NULL,
                "density ratio at the interface", NULL},
               {"angle", CCA_DOUBLE, "30", "0.01", "85", NULL, "degrees",
                "between the planes of shock and interface", NULL},
               {"shock_at", CCA_DOUBLE, "0.3", NULL, NULL, NULL, NULL,
                "place of the shock at time 0", NULL},
               {"interface_at", CCA_DOUBLE, "0.5", NULL, NULL, NULL, NULL,
                "where the interface meets the first wall", NULL},
               {"window_low", CCA_DOUBLE, "0.5", "0", "1", NULL, NULL,
                "part of the height at which the node starts to be followed", NULL},
               {"window_high", CCA_DOUBLE, "0.9", "0", "1", NULL, NULL,
                "part of the height at which it has been followed", NULL},
               {"file", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "CSV file: time, circulation, cells of the band, height of the node",
                NULL}),
};
