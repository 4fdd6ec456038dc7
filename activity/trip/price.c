/* SPDX-License-Identifier: BSD-3-Clause */
/* price.c: length of the description of a pattern and of the values of its places. */
#include <math.h>
#include <stdlib.h>

#include "activity/trip/core.h"

static const double call_bits = 10, node_bits = 5, table_bits = 10, value_bits = 8;

size_t trip_period(const int64_t *list, size_t count)
{
    size_t *border = malloc((count + 1) * sizeof *border); /* Knuth-Morris-Pratt border of
                                                            * the first i values */
    size_t k = 0, period = count;

    if (!border || count == 0) {
        free(border);
        return count;
    }
    border[0] = border[1] = 0;
    for (size_t i = 1; i < count; i++) {
        while (k > 0 && list[i] != list[k])
            k = border[k];
        k += list[i] == list[k];
        border[i + 1] = k;
    }
    period = count - k;
    free(border);
    return period;
}

int trip_nearly_same(const int64_t *list, size_t count, size_t *others, size_t at[2])
{
    int64_t usual;

    if (count < 5)
        return 0;
    /* if at most two of five values differ, the usual value is among the first three */
    usual = list[0] == list[1] || list[0] == list[2] ? list[0] : list[1];
    *others = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i] == usual)
            continue;
        if (*others == 2)
            return 0;
        at[(*others)++] = i;
    }
    return 1;
}

static double values_price(const struct trip_values *values)
{
    size_t period = trip_period(values->items, values->count), others, at[2];

    if (period > 2 && trip_nearly_same(values->items, values->count, &others, at))
        return table_bits + value_bits * (double)others;
    return period <= 1 ? 0 : table_bits + value_bits * log2(1 + (double)period);
}

double trip_node_price(const struct trip_node *node)
{
    double price = node->kind == TRIP_CALL       ? call_bits
                   : node->kind == TRIP_SEQUENCE ? 0
                                                 : node_bits;

    if (node->kind == TRIP_TIMES || node->kind == TRIP_CHOICE)
        price += values_price(&node->values[0]);
    for (int i = 0; i < node->count; i++)
        price += trip_node_price(node->items[i]);
    return price;
}
