/* SPDX-License-Identifier: BSD-3-Clause */
/* sc_worker.c: prints its parameters in go, and fails as the parameter `fail` selects. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
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
    struct sc_data_port *data = cca_services_get(services, "data", NULL);

    if (!data)
        return -ENOTCONN;
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

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, worker_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct worker, services),
    .name = "ScWorker",
    .summary = "prints what it is told",
    CCA_IMPLEMENTS({"go", offsetof(struct worker, go), &port.base}),
    CCA_USES(CCA_REQUIRED("data", SC_DATA_TYPE, struct sc_data_port),
             {.name = "spare",
              .type = SC_DATA_TYPE,
              .size = sizeof(struct sc_data_port),
              .max_connections = 3}),
    CCA_PARAMS({.name = "nx",
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
                .choices = "no|number|words|hold|signal"}),
};
