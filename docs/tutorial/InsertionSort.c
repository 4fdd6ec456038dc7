/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort by insertion: each number moves down to its place. */
#include "framework/cca.h"
#include "sort_port.h"

static int sorter_sort(struct sort_port *self, int n, double *numbers, int64_t *moves)
{
    int64_t count = 0;

    (void)self;
    for (int i = 1; i < n; i++) {
        double number = numbers[i];
        int j = i;

        for (; j > 0 && numbers[j - 1] > number; j--, count++)
            numbers[j] = numbers[j - 1];
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
    .name = "InsertionSort",
    .summary = "straight insertion",
    CCA_IMPLEMENTS({"sort", 0, &port.base}),
    CCA_QUALITY({"stable", 1, CCA_MIN, "by construction"}),
};
