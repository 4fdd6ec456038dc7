/* SPDX-License-Identifier: BSD-3-Clause */
/* team.c: a component whose Go port works alone for 100 ms and has another instance work
 * with a team of four between. The class is CLASS: compiled by gcc and by clang it has
 * both kinds of OpenMP in one program. Sleeping needs no core. */
#include <errno.h>
#include <omp.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/flux_port.h"
#include "ports/go_port.h"

struct team {
    struct go_port go;
    struct flux_port flux;
    struct cca_services *services;
};

static void sleep_ms(int ms)
{
    usleep((useconds_t)ms * 1000);
}

static int go(struct go_port *self)
{
    struct team *team = cca_container_of(self, struct team, go);
    struct flux_port *flux = cca_services_get(team->services, "other", NULL);

    if (!flux)
        return -ENOTCONN;
    sleep_ms(60);
    flux->compute(flux, 0, 4, 1, -1, NULL, NULL, NULL, NULL, NULL);
    sleep_ms(40);
    flux->compute(flux, 1, 4, 1, -1, NULL, NULL, NULL, NULL, NULL);
    cca_services_release_port(team->services, "other", NULL);
    return 0;
}

/* Axis 0: thread i works for 20 (i + 1) ms. Axis 1: one thread at a time works for 15 ms
 * in a critical piece, then for 15 ms under a lock of the thread's own runtime. */
static int compute(struct flux_port *self, int axis, int nx, int ny, int64_t patch,
                   const double *left, const double *right, double *flux,
                   int64_t *iterations, int64_t *active)
{
    omp_lock_t lock;

    (void)self, (void)ny, (void)left, (void)right, (void)flux, (void)iterations;
    if (axis == 0) {
#pragma omp parallel num_threads(nx)
        sleep_ms(20 * (omp_get_thread_num() + 1));
        return 0;
    }
    omp_init_lock(&lock);
#pragma omp parallel num_threads(nx)
    {
#pragma omp critical(piece)
        sleep_ms(15);
        omp_set_lock(&lock);
        sleep_ms(15);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return 0;
}

static const struct go_port go_port = {{GO_PORT_TYPE, sizeof go_port}, go};
static const struct flux_port flux_port = {{FLUX_PORT_TYPE, sizeof flux_port},
                                           .compute = compute};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct team, services),
    .name = CLASS,
    CCA_IMPLEMENTS({"go", offsetof(struct team, go), &go_port.base},
                   {"flux", offsetof(struct team, flux), &flux_port.base}),
    CCA_USES(CCA_PORT("other", FLUX_PORT_TYPE, struct flux_port)),
};
