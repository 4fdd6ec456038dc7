/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort by insertion over gaps that shrink to 1 (D. L. Shell, 1959). */
#include "framework/cca.h"
#include "sort_port.h"

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

static const struct sort_port port = {.base = {SORT_PORT_TYPE, sizeof port},
                                      .sort = sorter_sort};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct sort_port),
    .name = "ShellSort",
    .summary = "gaps 1, 4, 13, ...",
    CCA_IMPLEMENTS({"sort", 0, &port.base}),
    CCA_QUALITY({"stable", 0, CCA_MIN, "by construction"}),
};
