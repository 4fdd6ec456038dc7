/* SPDX-License-Identifier: BSD-3-Clause */
/* me_timers.c: a driver with timers and events of its own: the event "residual" has the
 * values 1 to 10, the timer "solve" runs ten times with "smooth" twice in each. */
#include <errno.h>

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

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct timers, services),
    .name = "MeasuredTimers",
    CCA_IMPLEMENTS({"go", offsetof(struct timers, go), &port.base}),
    CCA_USES(CCA_REQUIRED("measurement", MEASUREMENT_PORT_TYPE, struct measurement_port)),
};
