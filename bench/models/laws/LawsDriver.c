/* SPDX-License-Identifier: BSD-3-Clause */
/* Call each law ten times at eight sizes, the sizes ascending. The shortest calls take
 * more than half a microsecond: of a shorter loop the processor hides a part. */
#include <errno.h>

#include "framework/cca.h"
#include "laws_port.h"
#include "ports/go_port.h"

enum { SIZES = 8, CALLS = 10 };

struct driver {
    struct go_port go;
    struct cca_services *services;
};

static int driver_go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, go);
    CCA_USE(struct laws_port, laws, d->services, "laws");

    if (!laws)
        return -ENOTCONN;
    for (int i = 0, n = 32, near = 30, small = 10; i < SIZES;
         i++, n *= 2, near += near / 2, small += small / 2)
        for (int call = 0; call < CALLS; call++) {
            laws->constant(laws, n);
            laws->logarithm(laws, n);
            laws->root(laws, n);
            laws->line(laws, n);
            laws->line_log(laws, n);
            laws->line_square(laws, n / 4);
            laws->square(laws, near);
            laws->cube(laws, small);
        }
    return 0;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = driver_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services),
    .name = "LawsDriver",
    .summary = "calls laws at growing sizes",
    CCA_IMPLEMENTS({"go", offsetof(struct driver, go), &port.base}),
    CCA_USES(CCA_REQUIRED("laws", LAWS_PORT_TYPE, struct laws_port)),
};
