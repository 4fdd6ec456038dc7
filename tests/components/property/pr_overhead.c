/* SPDX-License-Identifier: BSD-3-Clause */
/* pr_overhead.c: a property in C: time in MPI as a share of the basis, per summary. */
#include <math.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/property_port.h"

static int describe(struct property_port *self, struct property_about *about,
                    struct cca_error *err)
{
    (void)self;
    (void)err;
    *about = (struct property_about){.name = "PrOverhead",
                                     .doc = "time in MPI as a share of the basis",
                                     .object = PROPERTY_OF_SUMMARY,
                                     .because = "LateSender, SynchronizationOverhead"};
    return 0;
}

static const char *const *requires_data(struct property_port *self)
{
    static const char *const needs[] = {"mpi_time", NULL};

    (void)self;
    return needs;
}

/* The region that severities of a run are shares of. */
static int64_t basis_of(struct property_data *data, int64_t run)
{
    struct property_rows *rows = data->rows(data, "experiment", "id, root", NULL);
    int64_t basis = data->basis;

    while (!basis && rows && data->next(rows) > 0)
        if (data->id(rows, 0) == run)
            basis = data->id(rows, 1);
    if (rows)
        data->end(rows);
    return basis;
}

/* exec_time of the basis on a unit. */
static double basis_time(struct property_data *data, int64_t run, int64_t unit)
{
    struct property_rows *rows =
        data->rows(data, "rs", "experiment, region, unit, exec_time", NULL);
    int64_t basis = basis_of(data, run);
    double time = NAN;

    while (rows && isnan(time) && data->next(rows) > 0)
        if (data->id(rows, 0) == run && data->id(rows, 1) == basis &&
            data->id(rows, 2) == unit)
            time = data->number(rows, 3);
    if (rows)
        data->end(rows);
    return time;
}

static int evaluate(struct property_port *self, struct property_data *data,
                    struct cca_error *err)
{
    struct property_rows *rows =
        data->rows(data, "rs", "experiment, region, unit, mpi_time", err);

    (void)self;
    if (!rows)
        return err->code;
    while (data->next(rows) > 0) {
        struct property_answer a = {.experiment = data->id(rows, 0),
                                    .region = data->id(rows, 1),
                                    .unit = data->id(rows, 2),
                                    .confidence = NAN};

        if (a.experiment == data->sequential)
            continue;
        a.severity = data->number(rows, 3) / basis_time(data, a.experiment, a.unit);
        a.holds = isnan(a.severity) ? -1 : a.severity > 0;
        a.reason = a.holds < 0 ? "mpi_time: unknown" : NULL;
        if (data->answer(data, &a))
            break;
    }
    data->end(rows);
    return 0;
}

static const struct property_port port = {
    .base = {PROPERTY_PORT_TYPE, sizeof port}, describe, requires_data, evaluate};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct property_port),
    .name = "test.PrOverhead",
    .summary = "a property in C",
    CCA_IMPLEMENTS({"property", 0, &port.base}),
};
