/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_spinner.c: a flux port that spins for nx ticks of the time stamp counter, and a go
 * that calls it `calls` times for each of several lengths: so the test knows the times.
 */
#include <errno.h>
#include <stdio.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "framework/cca.h"
#include "ports/flux_port.h"
#include "ports/go_port.h"

struct spinner {
    struct flux_port flux;
    struct go_port go;
    struct cca_services *services;
};

#if defined(__x86_64__)
static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    uint64_t start = __rdtsc();

    (void)self, (void)axis, (void)ny, (void)left, (void)right, (void)flux, (void)patch,
        (void)active;
    while (__rdtsc() - start < (uint64_t)nx)
        continue;
    if (iterations)
        *iterations = (int64_t)(__rdtsc() - start);
    return 0;
}
#else
static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    (void)self, (void)axis, (void)nx, (void)ny, (void)left, (void)right, (void)flux,
        (void)patch, (void)active;
    (void)iterations;
    return -ENOTSUP;
}
#endif

static int go(struct go_port *self)
{
    static const int lengths[] = {300, 1000, 3000, 10000, 30000, 300000, 3000000};
    struct spinner *spinner = cca_container_of(self, struct spinner, go);
    int calls = (int)cca_services_param_long(spinner->services, "calls");
    struct flux_port *flux = cca_services_get(spinner->services, "next", NULL);
    int64_t ticks;

    if (!flux)
        return -ENOTCONN;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int j = 0; j < calls; j++)
            if (flux->compute(flux, 0, lengths[i], 1, -1, NULL, NULL, NULL, &ticks, NULL))
                return cca_services_fail(spinner->services, -ENOTSUP, "no counter here");
    printf("done\n");
    cca_services_release_port(spinner->services, "next", NULL);
    return 0;
}

static const struct flux_port flux_port = {{FLUX_PORT_TYPE, sizeof flux_port}, compute};
static const struct go_port go_port = {{GO_PORT_TYPE, sizeof go_port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct spinner, services),
    .name = "FaultSpinner",
    CCA_IMPLEMENTS({"flux", offsetof(struct spinner, flux), &flux_port.base},
                   {"go", offsetof(struct spinner, go), &go_port.base}),
    CCA_USES(CCA_PORT("next", FLUX_PORT_TYPE, struct flux_port)),
    CCA_PARAMS({.name = "calls", .type = CCA_INT, .value = "100", .low = "1"}),
};
