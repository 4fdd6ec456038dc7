/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c: whether runs determine a scaling function in the number of ranks. */
#include "mastermind/counts/laws/ranks.h"

#include <math.h>
#include <stdio.h>

void mm_law_ranks_init(struct mm_law_ranks *ranks, const double *number, const double *y,
                       const unsigned char *selected, size_t runs)
{
    ranks->count = 0;
    for (size_t i = 0; i < runs && ranks->count < MM_LAW_RANKS; i++) {
        size_t at = 0;

        while (at < ranks->count && ranks->number[at] != number[i])
            at++;
        if ((selected && !selected[i]) || !isfinite(y[i]) || at < ranks->count)
            continue;
        for (; at > 0 && ranks->number[at - 1] > number[i]; at--)
            ranks->number[at] = ranks->number[at - 1];
        ranks->number[at] = number[i];
        ranks->count++;
    }
}

double mm_law_ranks_nearest(const struct mm_law_ranks *ranks, double asked)
{
    double nearest = NAN, least = INFINITY;

    if (!ranks->count || asked < ranks->number[0] ||
        asked > ranks->number[ranks->count - 1])
        return NAN;
    for (size_t i = 0; i < ranks->count; i++) {
        double far = fabs(log(asked / ranks->number[i]));

        if (far < least) {
            least = far;
            nearest = ranks->number[i];
        }
    }
    return nearest;
}

int mm_law_ranks_print(const struct mm_law_ranks *ranks, char *text, size_t size)
{
    int length = 0;

    for (size_t i = 0; i < ranks->count; i++) {
        size_t used = (size_t)length < size ? (size_t)length : size;

        length += snprintf(text + used, size - used, "%s%.0f",
                           !i                     ? ""
                           : i + 1 < ranks->count ? ", "
                                                  : " and ",
                           ranks->number[i]);
    }
    return length;
}
