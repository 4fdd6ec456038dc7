/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c: a problem as whole numbers; the range that a composed quality may have. */
#include "mastermind/choice/exact/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COST_BITS 54 /* bits of the sum of the largest magnitudes of costs */

size_t mm_network_size(const struct mm_network *network, size_t slot)
{
    return network->first[slot + 1] - network->first[slot];
}

static double *values_of(const struct mm_network *network, size_t quality)
{
    return network->values + quality * network->choice_count;
}

struct mm_hull mm_network_hull(const struct mm_network *network, size_t quality,
                               size_t slot)
{
    const double *values = values_of(network, quality);
    struct mm_hull hull = {NAN, NAN};

    for (size_t i = network->first[slot]; i < network->first[slot + 1]; i++) {
        hull.low = fmin(hull.low, values[i]); /* fmin and fmax skip choices without a
                                                 value (NaN) */
        hull.high = fmax(hull.high, values[i]);
    }
    return hull;
}

struct mm_hull mm_hull_compose(enum mm_composition rule, struct mm_hull a,
                               struct mm_hull b)
{
    double ends[4];

    if (isnan(a.low))
        return b;
    if (isnan(b.low))
        return a;
    if (rule != MM_COMPOSITION_PRODUCT)
        return (struct mm_hull){mm_composition_apply(rule, a.low, b.low),
                                mm_composition_apply(rule, a.high, b.high)};
    ends[0] = a.low * b.low;
    ends[1] = a.low * b.high;
    ends[2] = a.high * b.low;
    ends[3] = a.high * b.high;
    return (struct mm_hull){fmin(fmin(ends[0], ends[1]), fmin(ends[2], ends[3])),
                            fmax(fmax(ends[0], ends[1]), fmax(ends[2], ends[3]))};
}

int mm_hull_meets(struct mm_hull hull, const struct mm_bound *bound,
                  struct mm_rounding rounding)
{
    return hull.low - rounding.absolute - rounding.relative * fabs(hull.low) <=
               bound->high &&
           hull.high + rounding.absolute + rounding.relative * fabs(hull.high) >=
               bound->low;
}

/* True if `value` is a multiple of `unit` and sums of up to 2^53 units are exact. */
static int is_multiple(double value, double unit)
{
    return unit > 0 && trunc(value / unit) == value / unit;
}

struct mm_rounding mm_network_rounding(const struct mm_network *network, size_t quality)
{
    enum mm_composition rule = network->problem->qualities[quality].rule;
    const double *values = values_of(network, quality);
    struct mm_rounding rounding = {0, 0};
    double sum = 0;
    int exponent, exact = 1;

    if (rule == MM_COMPOSITION_PRODUCT)
        rounding.relative = MM_PROBLEM_ROUNDING;
    if (rule != MM_COMPOSITION_SUM)
        return rounding;
    for (size_t slot = 0; slot < network->slot_count; slot++) {
        struct mm_hull hull = mm_network_hull(network, quality, slot);
        double most = fmax(fabs(hull.low), fabs(hull.high));

        sum += isnan(most) ? 0 : most;
    }
    frexp(sum, &exponent);
    for (size_t i = 0; i < network->choice_count && exact; i++)
        exact = isnan(values[i]) || is_multiple(values[i], ldexp(1, exponent - 52));
    rounding.absolute = exact ? 0 : MM_PROBLEM_ROUNDING * sum;
    return rounding;
}

/* Remove the choices that violate the bound of a quality in every assignment; their
 * `costs` become NaN. Returns their number. */
static size_t drop_choices(struct mm_network *n, size_t quality, double *costs,
                           struct mm_hull *after)
{
    enum mm_composition rule = n->problem->qualities[quality].rule;
    struct mm_rounding rounding = mm_network_rounding(n, quality);
    double *values = values_of(n, quality);
    struct mm_hull before = {NAN, NAN};
    size_t dropped = 0;

    after[n->slot_count] = before;
    for (size_t slot = n->slot_count; slot-- > 0;)
        after[slot] =
            mm_hull_compose(rule, mm_network_hull(n, quality, slot), after[slot + 1]);
    for (size_t slot = 0; slot < n->slot_count; slot++) {
        struct mm_hull others = mm_hull_compose(rule, before, after[slot + 1]);
        struct mm_hull own = mm_network_hull(n, quality, slot);

        for (size_t i = n->first[slot]; i < n->first[slot + 1]; i++) {
            struct mm_hull value = {values[i], values[i]};

            if (isnan(costs[i]))
                continue;
            value = mm_hull_compose(rule, value, others);
            /* true if this choice lacks the quality but another choice of the slot has
             * it, or if no class has it */
            if ((isnan(values[i]) && !isnan(own.low)) || isnan(value.low) ||
                !mm_hull_meets(value, &n->bounds[quality], rounding)) {
                costs[i] = NAN;
                dropped++;
            }
        }
        before = mm_hull_compose(rule, before, own);
    }
    return dropped;
}

/* Move the remaining choices together in the arrays. */
static void close_ranks(struct mm_network *n, double *costs)
{
    size_t count = 0, old_count = n->choice_count;

    for (size_t slot = 0, from = 0; slot < n->slot_count; slot++) {
        size_t end = n->first[slot + 1];

        n->first[slot] = count;
        for (; from < end; from++) {
            if (isnan(costs[from]))
                continue;
            costs[count] = costs[from];
            n->class_at[count] = n->class_at[from];
            for (size_t q = 0; q < n->quality_count; q++)
                n->values[q * old_count + count] = n->values[q * old_count + from];
            count++;
        }
        n->empty |= n->first[slot] == count;
    }
    n->first[n->slot_count] = n->choice_count = count;
    for (size_t q = 1; q < n->quality_count; q++)
        memmove(n->values + q * count, n->values + q * old_count,
                count * sizeof *n->values);
}

/* Remove choices without a value if a class of the slot states the quality, even a
 * removed class. */
static void drop_unstated(const struct mm_network *n, double *costs)
{
    for (size_t q = 0; q < n->quality_count; q++) {
        const struct mm_problem_quality *quality = &n->problem->qualities[q];

        for (size_t i = 0; n->bounds[q].active && i < quality->value_count; i++) {
            size_t slot = quality->values[i].slot;

            for (size_t k = n->first[slot]; k < n->first[slot + 1]; k++)
                if (isnan(values_of(n, q)[k]))
                    costs[k] = NAN;
        }
    }
}

static void take_choices(struct mm_network *n, double *costs)
{
    const struct mm_problem *p = n->problem;
    size_t at = 0;

    for (size_t i = 0; i < p->slot_count; i++) {
        n->first[i] = at;
        for (size_t k = 0; k < p->slots[i].class_count; k++, at++) {
            n->class_at[at] = k;
            costs[at] =
                p->slots[i].classes[k].offered ? p->slots[i].classes[k].cost : NAN;
        }
    }
    n->first[p->slot_count] = at;
    for (size_t i = 0; i < p->quality_count * n->choice_count; i++)
        n->values[i] = NAN;
    for (size_t q = 0; q < p->quality_count; q++)
        for (size_t i = 0; i < p->qualities[q].value_count; i++) {
            const struct mm_problem_value *v = &p->qualities[q].values[i];

            values_of(n, q)[n->first[v->slot] + v->class_at] = v->value;
        }
}

/* The sum over slots and links of the largest magnitudes of costs. */
static double magnitude(const struct mm_network *n, const double *costs)
{
    const struct mm_problem *p = n->problem;
    double total = 0;

    for (size_t slot = 0; slot < n->slot_count; slot++) {
        double most = 0;

        for (size_t i = n->first[slot]; i < n->first[slot + 1]; i++)
            most = fmax(most, fabs(costs[i]));
        total += most;
    }
    for (size_t c = 0; c < p->coupling_count; c++) {
        size_t a = p->couplings[c].slots[0], b = p->couplings[c].slots[1];
        double most = 0;

        for (size_t i = n->first[a]; i < n->first[a + 1]; i++)
            for (size_t k = n->first[b]; k < n->first[b + 1]; k++)
                most = fmax(
                    most,
                    fabs(p->couplings[c].costs[n->class_at[i] * p->slots[b].class_count +
                                               n->class_at[k]]));
        total += most;
    }
    return total;
}

static int64_t whole(const struct mm_network *n, double cost)
{
    return llrint(ldexp(cost, n->exponent));
}

/* The link of two slots, a < b; added if there is none. NULL: out of memory. */
static struct mm_link *link_of(struct mm_network *n, size_t a, size_t b)
{
    size_t cells = mm_network_size(n, a) * mm_network_size(n, b);
    struct mm_link *link;

    for (size_t i = 0; i < n->link_count; i++)
        if (n->links[i].slots[0] == a && n->links[i].slots[1] == b)
            return &n->links[i];
    link = &n->links[n->link_count];
    *link =
        (struct mm_link){.slots = {a, b}, .costs = calloc(cells, sizeof *link->costs)};
    if (!link->costs)
        return NULL;
    n->link_count++;
    return link;
}

static int take_links(struct mm_network *n)
{
    const struct mm_problem *p = n->problem;

    n->links = calloc(p->coupling_count + 1, sizeof *n->links);
    if (!n->links)
        return -ENOMEM;
    for (size_t c = 0; c < p->coupling_count; c++) {
        size_t a = p->couplings[c].slots[0], b = p->couplings[c].slots[1];
        size_t width = p->slots[b].class_count;
        struct mm_link *link = a < b ? link_of(n, a, b) : link_of(n, b, a);

        if (!link)
            return -ENOMEM;
        for (size_t i = 0; i < mm_network_size(n, a); i++)
            for (size_t k = 0; k < mm_network_size(n, b); k++) {
                size_t cell =
                    a < b ? i * mm_network_size(n, b) + k : k * mm_network_size(n, a) + i;

                link->costs[cell] +=
                    whole(n, p->couplings[c].costs[n->class_at[n->first[a] + i] * width +
                                                   n->class_at[n->first[b] + k]]);
            }
    }
    return 0;
}

static int network_fill(struct mm_network *n)
{
    const struct mm_problem *p = n->problem;
    size_t dropped = 1;
    double *costs, total;
    struct mm_hull *after;
    int result = -ENOMEM;

    for (size_t i = 0; i < p->slot_count; i++)
        n->choice_count += p->slots[i].class_count;
    n->first = calloc(p->slot_count + 1, sizeof *n->first);
    n->class_at = calloc(n->choice_count, sizeof *n->class_at);
    n->costs = calloc(n->choice_count, sizeof *n->costs);
    n->values = calloc(n->choice_count * p->quality_count + 1, sizeof *n->values);
    costs = calloc(n->choice_count, sizeof *costs);
    after = calloc(p->slot_count + 1, sizeof *after);
    if (!n->first || !n->class_at || !n->costs || !n->values || !costs || !after)
        goto done;
    take_choices(n, costs);
    drop_unstated(n, costs);
    close_ranks(n, costs);
    while (dropped && !n->empty) {
        dropped = 0;
        for (size_t q = 0; q < p->quality_count && !n->empty; q++) {
            size_t here = n->bounds[q].active ? drop_choices(n, q, costs, after) : 0;

            if (here)
                close_ranks(n, costs);
            dropped += here;
        }
    }
    total = magnitude(n, costs);
    if (total > 0) {
        frexp(total, &n->exponent);
        n->exponent = COST_BITS - n->exponent;
    }
    for (size_t i = 0; i < n->choice_count; i++)
        n->costs[i] = whole(n, costs[i]);
    result = take_links(n);
done:
    free(costs);
    free(after);
    return result;
}

struct mm_network *mm_network_new(const struct mm_problem *problem,
                                  const struct mm_bound *bounds)
{
    struct mm_network *n = calloc(1, sizeof *n);

    if (!n)
        return NULL;
    n->problem = problem;
    n->slot_count = problem->slot_count;
    n->quality_count = problem->quality_count;
    n->bounds = calloc(problem->quality_count + 1, sizeof *n->bounds);
    if (!n->bounds)
        goto fail;
    memcpy(n->bounds, bounds, problem->quality_count * sizeof *bounds);
    if (network_fill(n) < 0)
        goto fail;
    return n;
fail:
    mm_network_free(n);
    return NULL;
}

void mm_network_free(struct mm_network *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->link_count; i++)
        free(n->links[i].costs);
    free(n->links);
    free(n->bounds);
    free(n->first);
    free(n->class_at);
    free(n->costs);
    free(n->values);
    free(n);
}

int64_t mm_network_cost(const struct mm_network *network, const size_t *chosen)
{
    int64_t cost = 0;

    for (size_t i = 0; i < network->slot_count; i++)
        cost += network->costs[network->first[i] + chosen[i]];
    for (size_t i = 0; i < network->link_count; i++) {
        const struct mm_link *link = &network->links[i];

        cost += link->costs[chosen[link->slots[0]] *
                                mm_network_size(network, link->slots[1]) +
                            chosen[link->slots[1]]];
    }
    return cost;
}

double mm_network_value(const struct mm_network *network, size_t quality,
                        const size_t *chosen)
{
    enum mm_composition rule = network->problem->qualities[quality].rule;
    const double *values = values_of(network, quality);
    double composed = NAN;

    for (size_t i = 0; i < network->slot_count; i++) {
        double value = values[network->first[i] + chosen[i]];

        if (!isnan(value))
            composed =
                isnan(composed) ? value : mm_composition_apply(rule, composed, value);
    }
    return composed;
}
