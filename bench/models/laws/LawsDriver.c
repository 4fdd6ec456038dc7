/* SPDX-License-Identifier: BSD-3-Clause */
/* Call each law ten times at eight sizes, the sizes ascending, one law after the other.
 * The shortest calls take half a microsecond or more: of a shorter loop the processor
 * hides a part. */
#include <errno.h>

#include "framework/cca.h"
#include "laws_port.h"
#include "ports/go_port.h"

enum { SIZES = 8, CALLS = 10 };

struct driver {
    struct go_port go;
    struct cca_services *services;
};

/* Each next size is `more` halves of the one before. */
static void law_call(struct laws_port *laws, int (*law)(struct laws_port *self, int n),
                     int n, int more)
{
    for (int i = 0; i < SIZES; i++, n = n * more / 2)
        for (int call = 0; call < CALLS; call++)
            law(laws, n);
}

static int driver_go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, go);
    CCA_USE(struct laws_port, laws, d->services, "laws");

    if (!laws)
        return -ENOTCONN;
    law_call(laws, laws->constant, 32, 4);
    law_call(laws, laws->logarithm, 32, 4);
    law_call(laws, laws->root, 32, 4);
    law_call(laws, laws->line, 32, 4);
    law_call(laws, laws->line_log, 32, 4);
    law_call(laws, laws->line_square, 8, 4);
    law_call(laws, laws->square, 30, 3);
    law_call(laws, laws->cube, 10, 3);
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
