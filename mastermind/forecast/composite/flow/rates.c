/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.c: calls per invocation. */
#include "mastermind/forecast/composite/flow/rates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"

#define EQUAL .005 /* relative; rates are ratios of counts, which have no noise */

/* Invocations of a node, or of its whole vertex, in an experiment. */
static double invocations(const struct mm_donor *donor, const struct mm_call_node *own,
                          int whole)
{
    const struct mm_profile *profile = donor->profile;
    const struct mm_point *point;

    if (own->vertex >= profile->source.method_count)
        return 1;
    if (whole)
        return (double)profile->dual->vertices[own->vertex].calls;
    if (own->key == MM_NO_KEY)
        return (double)profile->points[own->vertex].unknown;
    point = mm_donor_point(donor, own);
    return point ? (double)point->calls : 0;
}

/* The counts of a node, or of all nodes of its vertex. */
static const struct mm_count *made_by(const struct mm_donor *donor,
                                      const struct mm_call_node *own, int whole,
                                      size_t *count)
{
    const struct mm_counts *counts = &donor->profile->counts;
    struct mm_call_node first = {own->vertex, 0};
    const struct mm_count *items;

    if (!whole)
        return mm_counts_of(counts, own, count);
    items = mm_counts_from(counts, &first);
    *count = 0;
    while (items + *count < counts->items + counts->count &&
           items[*count].caller.vertex == own->vertex)
        ++*count;
    return items;
}

/* The mean inclusive time of a call of `count`'s callee. */
static double call_ns(const struct mm_dual *dual, const struct mm_count *count)
{
    const struct mm_edge *edge =
        mm_dual_edge(dual, count->caller.vertex, count->callee.vertex);

    return edge && edge->calls ? (double)edge->inclusive_ns / (double)edge->calls : 0;
}

/* Calls of a callee per invocation in one experiment. */
struct entry {
    struct mm_call_node callee;
    int group;
    size_t member;
    double rate, beside_ns;
};

struct entries {
    struct entry *items;
    size_t count;
};

static int add_donor(struct entries *entries, struct mm_rates *rates, int group,
                     const struct mm_donor *donor, const struct mm_call_node *base,
                     int whole)
{
    const struct mm_count *made;
    struct mm_call_node own;
    size_t count;
    double n;

    if (!mm_donor_node(donor, base, &own) || (n = invocations(donor, &own, whole)) <= 0)
        return 0;
    made = made_by(donor, &own, whole, &count);
    for (size_t i = 0; i < count; i++) {
        struct entry *entry =
            cca_array_add(&entries->items, &entries->count, sizeof *entry);

        if (!entry)
            return -ENOMEM;
        entry->group = group;
        entry->member = rates->members[group];
        entry->rate = (double)made[i].calls / n;
        if (mm_donor_base_node(donor, &made[i].callee, &entry->callee))
            continue;
        entry->callee = (struct mm_call_node){MM_NO_VERTEX, MM_NO_KEY};
        entry->beside_ns = entry->rate * call_ns(donor->profile->dual, &made[i]);
    }
    rates->members[group]++;
    return 0;
}

static int entry_order(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = mm_node_order(&a->callee, &b->callee);

    if (order || a->group != b->group)
        return order ? order : a->group - b->group;
    return (a->member > b->member) - (a->member < b->member);
}

/* Add one experiment's rate to its callee's; `seen` of the group have been added. */
static void rate_add(struct mm_rate *rate, const struct entry *entry, size_t seen)
{
    int group = entry->group;

    rate->mean[group] += entry->rate;
    rate->most[group] = fmax(rate->most[group], entry->rate);
    rate->least[group] = seen ? fmin(rate->least[group], entry->rate) : entry->rate;
    if (group == 0)
        rate->beside_ns += entry->beside_ns;
}

/* Make means of sums; a member without a call of a callee has rate 0. */
static void rate_finish(struct mm_rate *rate, const struct mm_rates *rates,
                        const size_t *seen)
{
    for (int group = 0; group < 2; group++) {
        double members = (double)rates->members[group];

        if (seen[group] < rates->members[group])
            rate->least[group] = 0;
        rate->mean[group] = members > 0 ? rate->mean[group] / members : NAN;
        if (group == 0 && members > 0)
            rate->beside_ns /= members;
    }
}

/* Sum up sorted entries, callee by callee. */
static int sum_entries(struct mm_rates *rates, const struct entries *entries)
{
    for (size_t i = 0; i < entries->count;) {
        struct mm_rate *rate = cca_array_add(&rates->items, &rates->count, sizeof *rate);
        size_t seen[2] = {0, 0}, k = i;

        if (!rate)
            return -ENOMEM;
        rate->callee = entries->items[i].callee;
        while (k < entries->count &&
               mm_node_order(&entries->items[k].callee, &rate->callee) == 0) {
            struct entry one = entries->items[k++];

            for (; k < entries->count && entry_order(&entries->items[k], &one) == 0;
                 k++) {
                one.rate += entries->items[k].rate;
                one.beside_ns += entries->items[k].beside_ns;
            }
            rate_add(rate, &one, seen[one.group]++);
        }
        rate_finish(rate, rates, seen);
        i = k;
    }
    return 0;
}

int mm_rates_init(struct mm_rates *rates, const struct mm_call_node *base, int whole,
                  const struct mm_donor *const *group0, size_t count0,
                  const struct mm_donor *const *group1, size_t count1)
{
    struct entries entries = {0};
    int result = 0;

    *rates = (struct mm_rates){0};
    for (size_t i = 0; i < count0 && !result; i++)
        result = add_donor(&entries, rates, 0, group0[i], base, whole);
    for (size_t i = 0; i < count1 && !result; i++)
        result = add_donor(&entries, rates, 1, group1[i], base, whole);
    if (!result && entries.count)
        qsort(entries.items, entries.count, sizeof *entries.items, entry_order);
    if (!result)
        result = sum_entries(rates, &entries);
    free(entries.items);
    if (result)
        mm_rates_done(rates);
    return result;
}

void mm_rates_done(struct mm_rates *rates)
{
    free(rates->items);
    *rates = (struct mm_rates){0};
}

int mm_rates_differ(const struct mm_rates *rates)
{
    for (size_t i = 0; i < rates->count; i++) {
        const struct mm_rate *rate = &rates->items[i];
        double slack = EQUAL * fmax(rate->most[0], rate->most[1]);

        if (rate->most[0] < rate->least[1] - slack ||
            rate->most[1] < rate->least[0] - slack)
            return 1;
    }
    return 0;
}
