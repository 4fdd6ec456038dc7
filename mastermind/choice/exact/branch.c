/* SPDX-License-Identifier: BSD-3-Clause */
/* branch.c: open a node for each choice of a slot, in the order of their bounds. */
#include "mastermind/choice/exact/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A quality that has a bound or breaks ties. */
struct watched {
    size_t quality;
    enum mm_composition rule;
    struct mm_bound bound;
    struct mm_rounding rounding;
    const double *values;   /* [choice_count] value of each choice */
    struct mm_hull *after;  /* [count + 1] range of values over this and all later places
                               (slots in the order of assignment) */
    struct mm_hull *so_far; /* [count + 1] range of values over all earlier places (slots
                               in the order of assignment) */
};

/* The children of a node of the search, sorted by bound. */
struct level {
    int64_t *bounds;
    uint16_t *choices;
    size_t next;
};

struct descent {
    struct mm_branch *branch;
    struct mm_best_list *list;
    const struct mm_buckets *b;
    const struct mm_network *network;
    struct watched *watched;
    size_t watched_count;
    size_t *chosen, *by_slot; /* [count] choice at each place, and choice of each slot */
    struct level *levels;     /* [count] children of the current node at each place */
    int64_t *bounds;          /* memory for all levels */
    uint16_t *choices;
};

static int watch(struct descent *d, size_t quality)
{
    const struct mm_network *n = d->network;
    struct watched *w = &d->watched[d->watched_count++];

    *w = (struct watched){.quality = quality,
                          .rule = n->problem->qualities[quality].rule,
                          .bound = n->bounds[quality],
                          .rounding = mm_network_rounding(n, quality),
                          .values = n->values + quality * n->choice_count};
    w->after = malloc((d->b->count + 1) * sizeof *w->after);
    w->so_far = malloc((d->b->count + 1) * sizeof *w->so_far);
    if (!w->after || !w->so_far)
        return -ENOMEM;
    w->so_far[0] = w->after[d->b->count] = (struct mm_hull){NAN, NAN};
    for (size_t at = d->b->count; at-- > 0;)
        w->after[at] = mm_hull_compose(
            w->rule, mm_network_hull(n, quality, d->b->order[at]), w->after[at + 1]);
    return 0;
}

static void descent_done(struct descent *d)
{
    for (size_t i = 0; i < d->watched_count; i++) {
        free(d->watched[i].after);
        free(d->watched[i].so_far);
    }
    free(d->watched);
    free(d->chosen);
    free(d->by_slot);
    free(d->levels);
    free(d->bounds);
    free(d->choices);
}

static int descent_init(struct descent *d)
{
    const struct mm_network *n = d->network;
    size_t count = d->b->count, first = 0;

    d->watched = calloc(n->quality_count + 1, sizeof *d->watched);
    d->chosen = calloc(count, sizeof *d->chosen);
    d->by_slot = calloc(count, sizeof *d->by_slot);
    d->levels = calloc(count, sizeof *d->levels);
    d->bounds = malloc(n->choice_count * sizeof *d->bounds);
    d->choices = malloc(n->choice_count * sizeof *d->choices);
    if (!d->watched || !d->chosen || !d->by_slot || !d->levels || !d->bounds ||
        !d->choices)
        return -ENOMEM;
    for (size_t q = 0; q < n->quality_count; q++)
        if (n->bounds[q].active && watch(d, q) < 0)
            return -ENOMEM;
    for (size_t at = 0; at < count; at++) {
        d->levels[at] = (struct level){d->bounds + first, d->choices + first, 0};
        first += d->b->sizes[at];
    }
    return 0;
}

/* Open the node at place `at`: compute and sort the bounds of its children. */
static void open_node(struct descent *d, size_t at, int64_t bound)
{
    struct level *level = &d->levels[at];

    d->branch->nodes++;
    mm_buckets_extend(d->b, d->chosen, at, bound, level->bounds);
    for (size_t i = 0; i < d->b->sizes[at]; i++) {
        int64_t own = level->bounds[i];
        size_t k = i;

        for (; k > 0 && level->bounds[k - 1] > own; k--) {
            level->bounds[k] = level->bounds[k - 1];
            level->choices[k] = level->choices[k - 1];
        }
        level->bounds[k] = own;
        level->choices[k] = (uint16_t)i;
    }
    level->next = 0;
}

/* The better end of the range of the tie-breaking quality; less is better. */
static double best_value(const struct descent *d, const struct watched *w,
                         struct mm_hull hull)
{
    if (d->branch->greater)
        return -(hull.high + w->rounding.absolute +
                 w->rounding.relative * fabs(hull.high));
    return hull.low - w->rounding.absolute - w->rounding.relative * fabs(hull.low);
}

/* Take a choice for the slot at place `at`. Returns 0 if no assignment with it meets the
 * bounds or beats the best so far. */
static int take_choice(struct descent *d, size_t at, size_t choice, int tie)
{
    size_t index = d->network->first[d->b->order[at]] + choice;

    d->chosen[at] = choice;
    for (size_t i = 0; i < d->watched_count; i++) {
        struct watched *w = &d->watched[i];
        struct mm_hull own = {w->values[index], w->values[index]}, whole;

        w->so_far[at + 1] = mm_hull_compose(w->rule, w->so_far[at], own);
        whole = mm_hull_compose(w->rule, w->so_far[at + 1], w->after[at + 1]);
        if (!mm_hull_meets(whole, &w->bound, w->rounding))
            return 0;
        if (tie && w->quality == d->branch->quality &&
            best_value(d, w, whole) >= mm_best_list_value(d->list))
            return 0;
    }
    return !tie || d->branch->quality < d->network->quality_count;
}

static int offer_leaf(struct descent *d)
{
    const struct mm_network *n = d->network;
    double value = 0;

    for (size_t at = 0; at < d->b->count; at++)
        d->by_slot[d->b->order[at]] = d->chosen[at];
    for (size_t i = 0; i < d->watched_count; i++) {
        const struct watched *w = &d->watched[i];
        double composed = mm_network_value(n, w->quality, d->by_slot);

        if (!(composed >= w->bound.low && composed <= w->bound.high))
            return 0;
        if (w->quality == d->branch->quality)
            value = d->branch->greater ? -composed : composed;
    }
    return mm_best_list_offer(d->list, mm_network_cost(n, d->by_slot), value, d->by_slot);
}

/* The least bound of the nodes that were not searched, at places up to `at`. */
static int64_t least_open(const struct descent *d, size_t at)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i <= at; i++) {
        const struct level *level = &d->levels[i];

        if (level->next < d->b->sizes[i] && level->bounds[level->next] < least)
            least = level->bounds[level->next];
    }
    return least;
}

static int descend(struct descent *d)
{
    size_t at = 0;

    open_node(d, 0, d->b->root + d->branch->offset);
    for (;;) {
        struct level *level = &d->levels[at];
        int full = d->list->count == d->list->most;
        int64_t cutoff = mm_best_list_cutoff(d->list), bound;
        int tie;

        if (level->next == d->b->sizes[at] || level->bounds[level->next] > cutoff) {
            if (!at)
                return 1;
            at--;
            continue;
        }
        bound = level->bounds[level->next];
        tie = full && bound == cutoff;
        if (at + 1 < d->b->count && d->branch->nodes >= d->branch->most) {
            d->branch->lower = least_open(d, at);
            return 0;
        }
        if (!take_choice(d, at, level->choices[level->next++], tie))
            continue;
        if (at + 1 == d->b->count) {
            if (offer_leaf(d) < 0)
                return -ENOMEM;
        } else {
            open_node(d, ++at, bound);
        }
    }
}

int mm_branch_run(struct mm_branch *branch, struct mm_best_list *list)
{
    struct descent d = {.branch = branch,
                        .list = list,
                        .b = branch->buckets,
                        .network = branch->buckets->network};
    int result = descent_init(&d);

    branch->nodes = 0;
    branch->lower = INT64_MAX;
    if (!result)
        result = descend(&d);
    descent_done(&d);
    return result;
}
