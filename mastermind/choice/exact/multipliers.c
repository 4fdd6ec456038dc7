/* SPDX-License-Identifier: BSD-3-Clause */
/* multipliers.c: find multipliers by the secant of two assignments, of which the first
 * meets the bound and the second does not; exact for one row with exact bounds. */
#include "mastermind/choice/exact/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define TRIALS 16
/* number of rounds over all rows (bounds of qualities), if there are several */
#define ROUNDS 3
#define MOST_ADDED 0x1p58 /* largest magnitude of all weights times their multipliers */

struct row {
    double *weights;        /* [choice_count] weight of each choice in the row */
    double most, magnitude; /* `most`: upper bound of the sum of weights; `magnitude`: sum
                               over the slots of their largest weights' magnitudes */
    double multiplier;
};

struct trial {
    double cost, weight; /* of one assignment: its cost without the multiplied weights of
                            a row, and its sum of the row's weights */
};

struct rows {
    struct mm_buckets *buckets;
    const struct mm_network *network;
    struct row *items;
    size_t count;
    int64_t *costs, offset; /* costs of choices and of all assignments, including the
                               multipliers */
    size_t *chosen;         /* [slot_count] choice at each place */
    int64_t *bounds;        /* bounds of the choices of one slot */
};

enum weigh {
    WEIGH_VALUE,
    WEIGH_MINUS,
    WEIGH_LOG,
    WEIGH_MINUS_LOG,
    WEIGH_LOW,
    WEIGH_HIGH
};

static double weight_of(enum weigh weigh, double value, const struct mm_bound *bound)
{
    if (isnan(value))
        return 0;
    switch (weigh) {
    case WEIGH_VALUE:
        return value;
    case WEIGH_MINUS:
        return -value;
    case WEIGH_LOG:
        return log(value);
    case WEIGH_MINUS_LOG:
        return -log(value);
    case WEIGH_LOW:
        return -(value >= bound->low);
    case WEIGH_HIGH:
        return -(value <= bound->high);
    }
    return 0;
}

/* Add a row (bound of a quality), unless all assignments meet it. */
static int add_row(struct rows *rows, size_t quality, enum weigh weigh, double most)
{
    const struct mm_network *n = rows->network;
    const double *values = n->values + quality * n->choice_count;
    struct row row = {.most = most};
    double largest = 0;

    row.weights = malloc(n->choice_count * sizeof *row.weights);
    if (!row.weights)
        return -ENOMEM;
    for (size_t slot = 0; slot < n->slot_count; slot++) {
        double high = -INFINITY, magnitude = 0;

        for (size_t i = n->first[slot]; i < n->first[slot + 1]; i++) {
            row.weights[i] = weight_of(weigh, values[i], &n->bounds[quality]);
            high = fmax(high, row.weights[i]);
            magnitude = fmax(magnitude, fabs(row.weights[i]));
        }
        largest += high;
        row.magnitude += magnitude;
    }
    row.most += MM_PROBLEM_ROUNDING * (row.magnitude + fabs(most));
    if (largest <= row.most || !isfinite(row.most) || !(row.magnitude > 0)) {
        free(row.weights);
        return 0;
    }
    if (cca_array_reserve(&rows->items, rows->count, sizeof row)) {
        free(row.weights);
        return -ENOMEM;
    }
    rows->items[rows->count++] = row;
    return 0;
}

static int is_positive(const struct mm_network *n, size_t quality)
{
    const double *values = n->values + quality * n->choice_count;

    for (size_t i = 0; i < n->choice_count; i++)
        if (values[i] <= 0)
            return 0;
    return 1;
}

static int add_rows_of(struct rows *rows, size_t quality)
{
    const struct mm_bound *bound = &rows->network->bounds[quality];
    int result = 0;

    if (!bound->active)
        return 0;
    switch (rows->network->problem->qualities[quality].rule) {
    case MM_COMPOSITION_SUM:
        if (bound->high < INFINITY)
            result = add_row(rows, quality, WEIGH_VALUE, bound->high);
        if (bound->low > -INFINITY && !result)
            result = add_row(rows, quality, WEIGH_MINUS, -bound->low);
        break;
    case MM_COMPOSITION_PRODUCT:
        if (!is_positive(rows->network, quality))
            break;
        if (bound->high < INFINITY && bound->high > 0)
            result = add_row(rows, quality, WEIGH_LOG, log(bound->high));
        if (bound->low > 0 && !result)
            result = add_row(rows, quality, WEIGH_MINUS_LOG, -log(bound->low));
        break;
    case MM_COMPOSITION_MAX: /* choices above the upper bound were removed before
                                (network.c) */
        if (bound->low > -INFINITY)
            result = add_row(rows, quality, WEIGH_LOW, -1);
        break;
    case MM_COMPOSITION_MIN:
        if (bound->high < INFINITY)
            result = add_row(rows, quality, WEIGH_HIGH, -1);
        break;
    }
    return result;
}

/* Set costs and offset from the rows' multipliers, and fill the buckets. The rounding of
 * products is subtracted from the offset. */
static int apply(struct rows *rows)
{
    const struct mm_network *n = rows->network;
    double offset = 0;

    memcpy(rows->costs, n->costs, n->choice_count * sizeof *n->costs);
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->items[r];

        if (!(row->multiplier > 0))
            continue;
        for (size_t i = 0; i < n->choice_count; i++)
            rows->costs[i] += (int64_t)floor(row->multiplier * row->weights[i]);
        /* `most` includes MM_PROBLEM_ROUNDING */
        offset -= row->multiplier * row->most + 2;
    }
    rows->offset = (int64_t)floor(offset);
    return mm_buckets_fill(rows->buckets, rows->costs);
}

/* Make an assignment: place by place, take the choice with the least bound. */
static void decode(struct rows *rows)
{
    struct mm_buckets *b = rows->buckets;
    int64_t bound = b->root;

    for (size_t at = 0; at < b->count; at++) {
        size_t best = 0;

        mm_buckets_extend(b, rows->chosen, at, bound, rows->bounds);
        for (size_t a = 1; a < b->sizes[at]; a++)
            best = rows->bounds[a] < rows->bounds[best] ? a : best;
        rows->chosen[at] = best;
        bound = rows->bounds[best];
    }
}

/* Cost and weight of an assignment; `chosen` has the choice at each place. */
static struct trial measure(const struct rows *rows, const struct row *row,
                            const size_t *chosen)
{
    const struct mm_network *n = rows->network;
    const struct mm_buckets *b = rows->buckets;
    size_t by_slot[MM_PROBLEM_SLOTS];
    struct trial t = {0, 0};

    for (size_t at = 0; at < b->count; at++) {
        size_t choice = n->first[b->order[at]] + chosen[at];

        by_slot[b->order[at]] = chosen[at];
        t.weight += row->weights[choice];
        for (size_t r = 0; r < rows->count; r++)
            if (&rows->items[r] != row)
                t.cost += rows->items[r].multiplier * rows->items[r].weights[choice];
    }
    t.cost += (double)mm_network_cost(n, by_slot);
    return t;
}

/* Find the assignment with the least weight. */
static struct trial lightest(struct rows *rows, const struct row *row)
{
    const struct mm_network *n = rows->network;

    for (size_t at = 0; at < rows->buckets->count; at++) {
        size_t first = n->first[rows->buckets->order[at]], best = 0;

        for (size_t a = 1; a < rows->buckets->sizes[at]; a++) {
            double gain = row->weights[first + best] - row->weights[first + a];

            if (gain > 0 || (gain >= 0 && n->costs[first + a] < n->costs[first + best]))
                best = a;
        }
        rows->chosen[at] = best;
    }
    return measure(rows, row, rows->chosen);
}

static int try_multiplier(struct rows *rows, struct row *row, double multiplier,
                          struct trial *trial, double *bound)
{
    row->multiplier = fmin(multiplier, MOST_ADDED / (double)rows->count / row->magnitude);
    if (apply(rows) < 0)
        return -ENOMEM;
    decode(rows);
    *trial = measure(rows, row, rows->chosen);
    *bound = (double)rows->buckets->root + (double)rows->offset;
    return 0;
}

static int find_multiplier(struct rows *rows, struct row *row)
{
    double best = row->multiplier, best_bound, bound;
    struct trial over, within, trial;

    if (try_multiplier(rows, row, row->multiplier, &trial, &best_bound) < 0 ||
        try_multiplier(rows, row, 0, &over, &bound) < 0)
        return -ENOMEM;
    if (bound >= best_bound) {
        best = 0;
        best_bound = bound;
    }
    within = lightest(rows, row);
    for (int i = 0; i < TRIALS && over.weight > row->most; i++) {
        double slope = (within.cost - over.cost) / (over.weight - within.weight);
        double line = over.cost + slope * over.weight;

        if (!(slope > 0) || !isfinite(slope))
            break;
        if (try_multiplier(rows, row, slope, &trial, &bound) < 0)
            return -ENOMEM;
        if (bound > best_bound) {
            best = row->multiplier;
            best_bound = bound;
        }
        /* no assignment is below the line through both assignments */
        if (trial.cost + slope * trial.weight >= line - MM_PROBLEM_ROUNDING * fabs(line))
            break;
        if (trial.weight > row->most)
            over = trial;
        else
            within = trial;
    }
    row->multiplier = best;
    return 0;
}

static int find_all(struct rows *rows)
{
    for (int round = 0; round < (rows->count > 1 ? ROUNDS : 1); round++)
        for (size_t r = 0; r < rows->count; r++)
            if (find_multiplier(rows, &rows->items[r]) < 0)
                return -ENOMEM;
    return 0;
}

int mm_multipliers_find(struct mm_buckets *buckets, int64_t *costs, int64_t *offset)
{
    struct rows rows = {.buckets = buckets, .network = buckets->network, .costs = costs};
    int result = 0;

    rows.chosen = malloc(buckets->count * sizeof *rows.chosen);
    rows.bounds = malloc(MM_PROBLEM_CLASSES * sizeof *rows.bounds);
    if (!rows.chosen || !rows.bounds)
        result = -ENOMEM;
    for (size_t q = 0; q < rows.network->quality_count && !result; q++)
        result = add_rows_of(&rows, q);
    if (!result)
        result = find_all(&rows);
    if (!result)
        result = apply(&rows);
    *offset = rows.offset;
    for (size_t r = 0; r < rows.count; r++)
        free(rows.items[r].weights);
    free(rows.items);
    free(rows.chosen);
    free(rows.bounds);
    return result;
}
