/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort arrays of growing size through the port `sort`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "sort_port.h"

struct driver {
    struct go_port go;
    struct cca_services *services;
};

static void numbers_fill(double *numbers, int64_t n)
{
    static uint32_t number = 1;

    for (int64_t i = 0; i < n; i++) {
        number = number * 1664525 + 1013904223;
        numbers[i] = number;
    }
}

/* Sort an array of each size, 100, 150, 225, ... up to `largest`, `repeats` times over.
 * Where the pace of the host changes, all sizes see it: it does not look like a law. */
static int driver_go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, go);
    int64_t largest = cca_services_param_long(d->services, "largest");
    int64_t repeats = cca_services_param_long(d->services, "repeats");
    int64_t arrays = 0, moves = 0;
    double *numbers;
    int result = 0;
    CCA_USE(struct sort_port, sort, d->services, "sort");

    if (!sort)
        return -ENOTCONN;
    numbers = malloc((size_t)largest * sizeof *numbers);
    if (!numbers)
        result = cca_services_fail(d->services, -ENOMEM, "out of memory");
    for (int64_t r = 0; !result && r < repeats; r++)
        for (int64_t n = 100; !result && n <= largest; n += n / 2, arrays++) {
            int64_t count = 0;

            numbers_fill(numbers, n);
            result = sort->sort(sort, (int)n, numbers, &count);
            moves += count;
        }
    free(numbers);
    printf("%lld arrays sorted, %lld moves\n", (long long)arrays, (long long)moves);
    return result;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = driver_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services),
    .name = "SortDriver",
    .summary = "sorts arrays of growing size",
    CCA_IMPLEMENTS({"go", offsetof(struct driver, go), &port.base}),
    CCA_USES(CCA_REQUIRED("sort", SORT_PORT_TYPE, struct sort_port)),
    CCA_PARAMS({.name = "largest",
                .type = CCA_LONG,
                .value = "1000",
                .low = "100",
                .high = "100000000",
                .help = "largest array to sort"},
               {.name = "repeats",
                .type = CCA_LONG,
                .value = "20",
                .low = "1",
                .help = "arrays of each size"}),
};
