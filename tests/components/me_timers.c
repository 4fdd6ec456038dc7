/* SPDX-License-Identifier: BSD-3-Clause */
/* me_timers.c: a driver with timers and events of its own: what it calls "residual" has
 * the values 1 to 10, "solve" runs ten times with "smooth" twice in each. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "ports/measurement_port.h"

struct timers {
    struct go_port go;
    struct cca_services *services;
};

static void work(struct measurement_port *m)
{
    int solve = m->timer(m, "solve", "solver", NULL),
        smooth = m->timer(m, "smooth", "", NULL);
    int residual = m->event(m, "residual", NULL);

    m->timer(m, "never", "solver", NULL);
    m->event(m, "never", NULL);
    for (int i = 1; i <= 10; i++) {
        m->start(m, solve);
        for (int k = 0; k < 2; k++) {
            m->start(m, smooth);
            m->stop(m, smooth);
        }
        m->trigger(m, residual, i);
        m->stop(m, solve);
    }
}

static int go(struct go_port *self)
{
    struct timers *timers = cca_container_of(self, struct timers, go);
    struct measurement_port *m = cca_services_get_port_nonblocking(
        timers->services, "measurement", MEASUREMENT_PORT_TYPE, sizeof *m, NULL);

    if (!m)
        return -ENOTCONN;
    work(m);
    return cca_services_release_port(timers->services, "measurement", NULL);
}

static void *create(const struct cca_class *cls, struct cca_error *err)
{
    struct timers *timers = calloc(1, sizeof *timers);

    (void)cls;
    if (!timers)
        cca_error_set(err, -ENOMEM, "out of memory");
    else
        timers->go = (struct go_port){{GO_PORT_TYPE, sizeof timers->go}, go};
    return timers;
}

static int set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct timers *timers = self;

    timers->services = services;
    return cca_services_add_provides_port(services, &timers->go.base, "go", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "go", .type = GO_PORT_TYPE, .size = sizeof(struct go_port)},
    {0},
};
static const struct cca_port_decl uses[] = {
    {.name = "measurement",
     .type = MEASUREMENT_PORT_TYPE,
     .size = sizeof(struct measurement_port),
     .min_connections = 1},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "MeasuredTimers",
    .provides = provides,
    .uses = uses,
    .create = create,
    .set_services = set_services,
    .destroy = free,
};
