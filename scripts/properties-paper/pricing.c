/* SPDX-License-Identifier: BSD-3-Clause */
/* pricing.c: the class Pricing, whose go is an OpenMP loop within ranks, as the backward
 * pricing code is (SC2001, section 6.2). An iteration sleeps: threads need no core each.
 */
#include <omp.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/mpi_port.h"

struct pricing {
    struct go_port go;
    struct cca_services *services;
};

static int go(struct go_port *self)
{
    struct pricing *p = cca_container_of(self, struct pricing, go);
    struct mpi_port *mpi = cca_services_get(p->services, "mpi", NULL);
    long all = cca_services_param_long(p->services, "iterations");
    long us = cca_services_param_long(p->services, "each");
    long mine = mpi ? all / mpi->size(mpi) : all;

    cca_services_release_port(p->services, "mpi", NULL);
#pragma omp parallel for schedule(static)
    for (long i = 0; i < mine; i++)
        usleep((useconds_t)us);
    return 0;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct pricing, services),
    .name = "Pricing",
    .summary = "a loop shared among threads of ranks",
    CCA_IMPLEMENTS({"go", offsetof(struct pricing, go), &port.base}),
    CCA_USES(CCA_PORT("mpi", MPI_PORT_TYPE, struct mpi_port)),
    CCA_PARAMS(
        {.name = "iterations", .type = CCA_LONG, .value = "144", .help = "of all ranks"},
        {.name = "each", .type = CCA_LONG, .value = "1000", .help = "microseconds"}),
};
