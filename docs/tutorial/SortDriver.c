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

/* Sort `repeats` arrays of each size: 8, 12, 18, ... up to `largest`. */
static int driver_go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, go);
    int64_t largest = cca_services_param_long(d->services, "largest");
    int64_t repeats = cca_services_param_long(d->services, "repeats");
    int64_t arrays = 0, moves = 0;
    struct cca_error err = {0};
    struct sort_port *sort;
    double *numbers;
    int result = 0;

    sort = cca_services_get_port(d->services, "sort", SORT_PORT_TYPE, sizeof *sort, &err);
    if (!sort)
        return cca_services_fail(d->services, err.code, "%s", err.text);
    numbers = malloc((size_t)largest * sizeof *numbers);
    if (!numbers)
        result = cca_services_fail(d->services, -ENOMEM, "out of memory");
    for (int64_t n = 8; !result && n <= largest; n += n / 2)
        for (int64_t r = 0; !result && r < repeats; r++, arrays++) {
            int64_t count = 0;

            numbers_fill(numbers, n);
            result = sort->sort(sort, (int)n, numbers, &count);
            moves += count;
        }
    free(numbers);
    cca_services_release_port(d->services, "sort", NULL);
    printf("%lld arrays sorted, %lld moves\n", (long long)arrays, (long long)moves);
    return result;
}

static void *driver_create(const struct cca_class *cls, struct cca_error *err)
{
    struct driver *d = calloc(1, sizeof *d);

    (void)cls;
    if (!d) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    d->go.base.type = GO_PORT_TYPE;
    d->go.base.size = sizeof d->go;
    d->go.go = driver_go;
    return d;
}

static int driver_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct driver *d = self;

    d->services = services;
    return cca_services_add_provides_port(services, &d->go.base, "go", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "go", .type = GO_PORT_TYPE, .size = sizeof(struct go_port)},
    {0},
};
static const struct cca_port_decl uses[] = {
    {.name = "sort",
     .type = SORT_PORT_TYPE,
     .size = sizeof(struct sort_port),
     .min_connections = 1},
    {0},
};
static const struct cca_param_decl params[] = {
    {.name = "largest",
     .type = CCA_LONG,
     .value = "1000",
     .low = "8",
     .high = "100000000",
     .help = "largest array to sort"},
    {.name = "repeats",
     .type = CCA_LONG,
     .value = "20",
     .low = "1",
     .help = "arrays of each size"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "SortDriver",
    .summary = "sorts arrays of growing size",
    .provides = provides,
    .uses = uses,
    .params = params,
    .create = driver_create,
    .set_services = driver_set_services,
    .destroy = free,
};
