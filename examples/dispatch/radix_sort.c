/* SPDX-License-Identifier: BSD-3-Clause */
/* RadixSort: two passes by 16 bits of the key: each counts 65,536 digits, so that small
 * arrays are dear, and then moves every key once. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "sort_port.h"

enum { DIGITS = 1 << 16 };

struct radix_sort {
    struct sort_port port;
};

static void pass(const uint32_t *from, uint32_t *to, size_t count, int shift,
                 uint32_t *starts)
{
    uint32_t at = 0;

    for (size_t d = 0; d < DIGITS; d++)
        starts[d] = 0;
    for (size_t i = 0; i < count; i++)
        starts[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        const uint32_t keys = starts[d];

        starts[d] = at;
        at += keys;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static int sort(struct sort_port *self, int n, uint32_t *keys)
{
    const size_t count = (size_t)n;
    uint32_t *other = malloc((count + DIGITS) * sizeof *other);

    (void)self;
    if (!other)
        return -ENOMEM;
    pass(keys, other, count, 0, other + count);
    pass(other, keys, count, 16, other + count);
    free(other);
    return 0;
}

static const struct sort_port port = {.base = {SORT_PORT_TYPE, sizeof port},
                                      .sort = sort};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct radix_sort),
    .name = "RadixSort",
    .summary = "sorts by two digits of 16 bits",
    CCA_IMPLEMENTS({"sort", offsetof(struct radix_sort, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("sort", SORT_PORT_TYPE, struct sort_port)),
};
