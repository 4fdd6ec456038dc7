/* SPDX-License-Identifier: BSD-3-Clause */
/* co_class.h: a class that provides `work`, for files that define CO_NAME and co_work().
 */
#ifndef TESTS_COMPONENTS_CO_CLASS_H
#define TESTS_COMPONENTS_CO_CLASS_H

#include "framework/cca.h"
#include "tests/components/known/co_work_port.h"

struct co {
    struct co_work_port work;
    struct cca_services *services;
    int calls;     /* so far, or in this solve */
    unsigned sink; /* so that loops are not left out */
};

static int co_work(struct co *co, int n);

/* Take time in proportion to `units`. */
static inline void co_spin(struct co *co, long units)
{
    volatile unsigned *sink = &co->sink;

    for (long i = 0; i < units; i++)
        *sink = *sink * 1664525 + 1013904223;
}

static int co_port_work(struct co_work_port *self, int n)
{
    return co_work(cca_container_of(self, struct co, work), n);
}

static const struct co_work_port co_port = {{CO_WORK_PORT_TYPE, sizeof co_port},
                                            co_port_work};

#ifndef CO_USES
#define CO_USES
#endif

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct co, services), .name = CO_NAME,
    CCA_IMPLEMENTS({"work", offsetof(struct co, work), &co_port.base}), CO_USES};

#endif
