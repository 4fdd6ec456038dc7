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

static void *dump_create(const struct cca_class *cls, struct cca_error *err)
{
    struct dump *k = calloc(1, sizeof *k);

    (void)cls;
    if (!k) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    k->port = (struct output_port){
        .base = {OUTPUT_PORT_TYPE, sizeof(struct output_port)},
        .write = dump_write,
    };
    return k;
}

static int dump_set_services(void *self, struct cca_services *services,
                             struct cca_error *err)
{
    struct dump *k = self;

    k->services = services;
    return cca_services_add_provides_port(services, &k->port.base, "output", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "output", .type = OUTPUT_PORT_TYPE, .size = sizeof(struct output_port)},
    {0},
};

static const struct cca_param_decl params[] = {
    {.name = "file", .type = CCA_STRING, .value = "field.dump", .help = "file to write"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "FieldDump",
    .summary = "writes the conserved variables as doubles",
    .provides = provides,
    .params = params,
    .create = dump_create,
    .set_services = dump_set_services,
    .destroy = free,
};
