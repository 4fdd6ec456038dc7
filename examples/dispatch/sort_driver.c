/* SPDX-License-Identifier: BSD-3-Clause */
/* SortDriver: sorts arrays of many sizes through its port, small ones most often, and
 * prints a sum of all sorted keys. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "sort_port.h"

struct sort_driver {
    struct go_port port;
    struct cca_services *services;
    uint64_t state; /* of the random numbers */
};

/* A pseudo-random number of 32 bits. */
static uint32_t draw(struct sort_driver *driver)
{
    driver->state = driver->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(driver->state >> 32);
}

static int go(struct go_port *self)
{
    struct sort_driver *driver = cca_container_of(self, struct sort_driver, port);
    CCA_USE(struct sort_port, sorter, driver->services, "sort");
    const int64_t calls = cca_services_param_long(driver->services, "calls");
    const double low = cca_services_param_double(driver->services, "smallest");
    const double high = cca_services_param_double(driver->services, "largest");
    uint32_t *keys = malloc(((size_t)high + 1) * sizeof *keys);
    uint64_t sum = 0;
    int code = sorter ? 0 : -ENOTCONN;

    if (!keys)
        return cca_services_fail(driver->services, -ENOMEM, "out of memory");
    driver->state = 1;
    for (int64_t call = 0; call < calls && !code; call++) {
        const double u = draw(driver) * 0x1p-32;
        const int n = (int)(low * pow(high / low, u * u * u));

        for (int i = 0; i < n; i++)
            keys[i] = draw(driver);
        code = sorter->sort(sorter, n, keys);
        for (int i = 0; i < n; i++)
            sum = 31 * sum + keys[i];
    }
    free(keys);
    if (!code)
        printf("%lld arrays sorted, sum %016llx\n", (long long)calls,
               (unsigned long long)sum);
    return code;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct sort_driver, services),
    .name = "SortDriver",
    .summary = "sorts arrays of many sizes",
    CCA_IMPLEMENTS({"go", offsetof(struct sort_driver, port), &port.base}),
    CCA_USES(CCA_REQUIRED("sort", SORT_PORT_TYPE, struct sort_port)),
    CCA_PARAMS(
        {"calls", CCA_LONG, "4000", "1", NULL, NULL, NULL, "number of arrays", NULL},
        {"smallest", CCA_DOUBLE, "500", "1", NULL, NULL, NULL,
         "size of the smallest array", NULL},
        {"largest", CCA_DOUBLE, "100000", "1", NULL, NULL, NULL,
         "size of the largest array", NULL}),
};
