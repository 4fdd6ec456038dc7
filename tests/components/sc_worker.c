/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_worker.c: goes, prints its parameters, and fails in the ways that they say. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/components/sc_ports.h"

struct worker {
    struct go_port go;
    struct cca_services *services;
};

static int worker_go(struct go_port *self)
{
    struct worker *worker = cca_container_of(self, struct worker, go);
    struct cca_services *services = worker->services;
    const char *fail = cca_services_param_string(services, "fail");
    struct cca_error err = {0};
    struct sc_data_port *data =
        cca_services_get_port(services, "data", SC_DATA_TYPE, sizeof *data, &err);

    if (!data)
        return cca_services_fail(services, err.code, "%s", err.text);
    printf("%s: %d, nx %lld, ratio %g, loud %d, title '%s'\n",
           cca_services_instance_name(services), data->value(data),
           (long long)cca_services_param_long(services, "nx"),
           cca_services_param_double(services, "ratio"),
           cca_services_param_bool(services, "loud"),
           cca_services_param_string(services, "title"));
    if (strcmp(fail, "hold") != 0)
        cca_services_release_port(services, "data", NULL);
    if (strcmp(fail, "number") == 0)
        return 7;
    if (strcmp(fail, "words") == 0)
        return cca_services_fail(services, -EDOM, "the pressure is negative");
    if (strcmp(fail, "signal") == 0)
        raise(SIGSEGV);
    return 0;
}

static void *worker_create(const struct cca_class *cls, struct cca_error *err)
{
    struct worker *worker = calloc(1, sizeof *worker);

    (void)cls;
    if (worker)
        worker->go = (struct go_port){{GO_PORT_TYPE, sizeof worker->go}, worker_go};
    else
        cca_error_set(err, -ENOMEM, "out of memory");
    return worker;
}

static int worker_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct worker *worker = self;

    worker->services = services;
    return cca_services_add_provides_port(services, &worker->go.base, "go", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "go", .type = GO_PORT_TYPE, .size = sizeof(struct go_port)}, {0}};
static const struct cca_port_decl uses[] = {{.name = "data",
                                             .type = SC_DATA_TYPE,
                                             .size = sizeof(struct sc_data_port),
                                             .min_connections = 1},
                                            {.name = "spare",
                                             .type = SC_DATA_TYPE,
                                             .size = sizeof(struct sc_data_port),
                                             .max_connections = 3},
                                            {0}};
static const struct cca_param_decl params[] = {
    {.name = "nx",
     .type = CCA_INT,
     .value = "4",
     .low = "1",
     .high = "100",
     .help = "cells"},
    {.name = "ratio", .type = CCA_DOUBLE, .value = "0.5", .low = "0"},
    {.name = "loud", .type = CCA_BOOL, .value = "false"},
    {.name = "title", .type = CCA_STRING, .value = ""},
    {.name = "fail",
     .type = CCA_STRING,
     .value = "no",
     .choices = "no|number|words|hold|signal"},
    {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "ScWorker",
    .summary = "prints what it is told",
    .provides = provides,
    .uses = uses,
    .params = params,
    .create = worker_create,
    .set_services = worker_set_services,
    .destroy = free,
};
