/* SPDX-License-Identifier: BSD-3-Clause */
/* sh_field_dump.c: the class FieldDump writes the conserved variables of the whole domain
 * as doubles, [5][ny][nx], and prints their sums in that order. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/output_port.h"

struct dump {
    struct output_port port;
    struct cca_services *services;
};

static int file_write(const char *path, const double *values, size_t count,
                      struct cca_error *err)
{
    FILE *file = fopen(path, "wb");
    size_t done = file ? fwrite(values, sizeof *values, count, file) : 0;

    if (!file || fclose(file) || done < count)
        return cca_error_set(err, -EIO, "cannot write '%s'", path);
    return 0;
}

static int dump_write(struct output_port *self, struct mesh_port *mesh, int field,
                      double time_s, int64_t step, struct cca_error *err)
{
    struct dump *k = cca_container_of(self, struct dump, port);
    const struct mesh_domain *domain = mesh->domain(mesh);
    size_t cells = (size_t)(domain->nx * domain->ny);
    int writes = mesh->rank(mesh) == 0, code;
    double *values = writes ? malloc(cells * EULER_NVAR * sizeof *values) : NULL;

    code = writes && !values ? cca_error_set(err, -ENOMEM, "out of memory")
                             : mesh->gather(mesh, 0, field, values);
    if (!code && writes)
        code = file_write(cca_services_param_string(k->services, "file"), values,
                          cells * EULER_NVAR, err);
    for (size_t n = 0; !code && writes && n < EULER_NVAR; n++) {
        double sum = 0.;

        for (size_t i = 0; i < cells; i++)
            sum += values[n * cells + i];
        printf("%zu: %.17g\n", n, sum);
    }
    if (!code && writes)
        printf("step %" PRId64 ", time %.17g\n", step, time_s);
    free(values);
    return code;
}

static const struct output_port port = {.base = {OUTPUT_PORT_TYPE, sizeof port},
                                        .write = dump_write};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct dump, services),
    .name = "FieldDump",
    .summary = "writes the conserved variables as doubles",
    CCA_IMPLEMENTS({"output", offsetof(struct dump, port), &port.base}),
    CCA_PARAMS({.name = "file",
                .type = CCA_STRING,
                .value = "field.dump",
                .help = "file to write"}),
};
