/* SPDX-License-Identifier: BSD-3-Clause */
/* MergeSort: runs of doubled length are merged, from runs of one key on: n log2(n)
 * comparisons, and little set-up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "sort_port.h"

struct merge_sort {
    struct sort_port port;
};

/* Merge from[0] to from[middle - 1] and from[middle] to from[end - 1]. */
static void merge(const uint32_t *from, size_t middle, size_t end, uint32_t *to)
{
    size_t a = 0, b = middle;

    for (size_t i = 0; i < end; i++)
        to[i] = a < middle && (b == end || from[a] <= from[b]) ? from[a++] : from[b++];
}

static int sort(struct sort_port *self, int n, uint32_t *keys)
{
    const size_t count = (size_t)n;
    uint32_t *other = malloc((count + 1) * sizeof *other), *from = keys, *to = other;

    (void)self;
    if (!other)
        return -ENOMEM;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            const size_t rest = count - at;
            const size_t middle = rest < run ? rest : run;

            merge(from + at, middle, rest < 2 * run ? rest : 2 * run, to + at);
        }
        uint32_t *swap = from;

        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
    free(other);
    return 0;
}

static const struct sort_port port = {.base = {SORT_PORT_TYPE, sizeof port},
                                      .sort = sort};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct merge_sort),
    .name = "MergeSort",
    .summary = "sorts by merging: n log2(n) comparisons",
    CCA_IMPLEMENTS({"sort", offsetof(struct merge_sort, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("sort", SORT_PORT_TYPE, struct sort_port)),
};
