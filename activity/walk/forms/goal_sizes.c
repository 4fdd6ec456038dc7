/* SPDX-License-Identifier: BSD-3-Clause */
/* goal_sizes.c: sends, sorted by pair and tag. */
#include "activity/walk/forms/goal_sizes.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/find.h"

int act_sends_add(struct act_sends *sends, int64_t from, int64_t to, int64_t tag,
                  int64_t bytes)
{
    if (cca_array_reserve(&sends->all, sends->count, sizeof *sends->all))
        return -ENOMEM;
    sends->all[sends->count] = (struct act_send){to, from, tag, bytes, sends->count, 0};
    sends->count++;
    return 0;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_key(const struct act_send *a, const struct act_send *b)
{
    if (a->to != b->to)
        return order(a->to, b->to);
    return a->from != b->from ? order(a->from, b->from) : order(a->tag, b->tag);
}

static int compare(const void *a, const void *b)
{
    const struct act_send *one = a, *other = b;
    int by_key = compare_key(one, other);

    return by_key ? by_key
                  : (one->number > other->number) - (one->number < other->number);
}

void act_sends_sort(struct act_sends *sends)
{
    if (sends->count)
        qsort(sends->all, sends->count, sizeof *sends->all, compare);
}

int64_t act_sends_take(struct act_sends *sends, int64_t from, int64_t to, int64_t tag)
{
    const struct act_send key = {.to = to, .from = from, .tag = tag};
    size_t low, at;

    CCA_FIND_FIRST(low, sends->count, compare_key(&sends->all[low], &key) < 0);
    if (low == sends->count)
        return -1;
    at = low + sends->all[low].taken;
    if (at >= sends->count || compare_key(&sends->all[at], &key) != 0)
        return -1;
    sends->all[low].taken++;
    return sends->all[at].bytes;
}

void act_sends_done(struct act_sends *sends)
{
    free(sends->all);
    *sends = (struct act_sends){NULL, 0};
}
