/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort by insertion over gaps that shrink to 1 (D. L. Shell, 1959). */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "sort_port.h"

struct sorter {
    struct sort_port sort;
};

static int sorter_sort(struct sort_port *self, int n, double *numbers, int64_t *moves)
{
    int64_t count = 0;
    int gap = 1;

    (void)self;
    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < n; i++) {
            double number = numbers[i];
            int j = i;

            for (; j >= gap && numbers[j - gap] > number; j -= gap, count++)
                numbers[j] = numbers[j - gap];
            numbers[j] = number;
        }
    if (moves)
        *moves = count;
    return 0;
}

static void *sorter_create(const struct cca_class *cls, struct cca_error *err)
{
    struct sorter *s = calloc(1, sizeof *s);

    (void)cls;
    if (!s) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    s->sort.base.type = SORT_PORT_TYPE;
    s->sort.base.size = sizeof s->sort;
    s->sort.sort = sorter_sort;
    return s;
}

static int sorter_set_services(void *self, struct cca_services *services,
                               struct cca_error *err)
{
    struct sorter *s = self;

    return cca_services_add_provides_port(services, &s->sort.base, "sort", NULL, err);
}

static const struct cca_port_decl provides[] = {
    {.name = "sort", .type = SORT_PORT_TYPE, .size = sizeof(struct sort_port)},
    {0},
};
static const struct cca_quality quality[] = {
    {.name = "stable", .value = 0, .compose = CCA_MIN, .command = "by construction"},
    {0},
};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI,
    .size = sizeof(struct cca_class),
    .name = "ShellSort",
    .summary = "gaps 1, 4, 13, ...",
    .provides = provides,
    .quality = quality,
    .create = sorter_create,
    .set_services = sorter_set_services,
    .destroy = free,
};
