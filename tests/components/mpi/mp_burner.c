/* SPDX-License-Identifier: BSD-3-Clause */
/* mp_burner.c: a flux port that computes for a known number of steps of one loop, on one
 * rank or on all, and may wait for the other ranks. */
#include <mpi.h>

#include "framework/cca.h"
#include "ports/flux_port.h"

struct burner {
    struct flux_port flux;
    struct cca_services *services;
};

static volatile uint64_t sink;

static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    struct burner *burner = cca_container_of(self, struct burner, flux);
    const int64_t on = cca_services_param_long(burner->services, "on");
    const int64_t work = cca_services_param_long(burner->services, "work");
    uint64_t state = (uint64_t)(axis + ny);
    int has_ranks, rank = 0;

    (void)patch;
    (void)active;
    (void)left;
    (void)right;
    (void)flux;
    (void)iterations;
    MPI_Initialized(&has_ranks);
    if (has_ranks)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int64_t i = 0; (on < 0 || on == rank) && i < work * nx; i++)
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    sink = state;
    if (has_ranks && cca_services_param_bool(burner->services, "waits"))
        MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

static const struct flux_port port = {{FLUX_PORT_TYPE, sizeof port}, compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct burner, services),
    .name = "Burner",
    CCA_IMPLEMENTS({"flux", offsetof(struct burner, flux), &port.base}),
    CCA_PARAMS({.name = "work", .type = CCA_LONG, .value = "10000"},
               {.name = "on", .type = CCA_INT, .value = "-1"},
               {.name = "waits", .type = CCA_BOOL, .value = "false"}),
};
