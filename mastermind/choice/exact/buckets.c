/* SPDX-License-Identifier: BSD-3-Clause */
/* buckets.c: plan the buckets, and read bounds. */
#include "mastermind/choice/exact/buckets.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* Add a table of costs over the slots at `places`, which are copied, without cells. NULL:
 * out of memory. */
static struct mm_cost_table *add_table(struct mm_buckets *b, const size_t *places,
                                       size_t place_count)
{
    struct mm_bucket *home = place_count ? &b->buckets[places[place_count - 1]] : NULL;
    struct mm_cost_table *table;

    if (home && cca_array_reserve(&home->tables, home->table_count, sizeof(size_t)))
        return NULL;
    table = cca_array_add(&b->tables, &b->table_count, sizeof *table);
    if (!table)
        return NULL;
    table->places = malloc((place_count + 1) * sizeof *places);
    table->strides = malloc((place_count + 1) * sizeof *places);
    if (!table->places || !table->strides)
        return NULL;
    if (place_count)
        memcpy(table->places, places, place_count * sizeof *places);
    table->place_count = place_count;
    table->cell_count = 1;
    for (size_t i = place_count; i-- > 0;) {
        table->strides[i] = table->cell_count;
        table->cell_count *= b->sizes[places[i]];
    }
    if (home)
        home->tables[home->table_count++] = b->table_count - 1;
    return table;
}

/* Merge two sorted lists of places, except the place `without`. Returns the number of
 * places. */
static size_t join(const size_t *a, size_t a_count, const struct mm_cost_table *table,
                   size_t without, size_t *joined)
{
    size_t count = 0, i = 0, k = 0;

    while (i < a_count || k < table->place_count) {
        size_t next;

        if (k == table->place_count || (i < a_count && a[i] <= table->places[k])) {
            next = a[i++];
            if (k < table->place_count && table->places[k] == next)
                k++;
        } else {
            next = table->places[k++];
        }
        if (next != without)
            joined[count++] = next;
    }
    return count;
}

static double cells_of(const struct mm_buckets *b, const size_t *places, size_t count)
{
    double cells = 1;

    for (size_t i = 0; i < count; i++)
        cells *= (double)b->sizes[places[i]];
    return cells;
}

struct draft {
    size_t *places;
    size_t place_count;
};

/* Put a table of costs into the first part of a bucket with enough space, or into a new
 * part. */
static int place_table(struct mm_buckets *b, size_t at, size_t table, double limit,
                       struct draft **drafts)
{
    struct mm_bucket *bucket = &b->buckets[at];
    size_t *joined = malloc(b->count * sizeof *joined), count = 0, i;

    if (!joined)
        return -ENOMEM;
    for (i = 0; i < bucket->part_count; i++) {
        count = join((*drafts)[i].places, (*drafts)[i].place_count, &b->tables[table], at,
                     joined);
        if (cells_of(b, joined, count) <= limit)
            break;
    }
    if (i == bucket->part_count) {
        size_t drafts_count = bucket->part_count;

        count = join(NULL, 0, &b->tables[table], at, joined);
        if (!cca_array_add(drafts, &drafts_count, sizeof **drafts) ||
            !cca_array_add(&bucket->parts, &bucket->part_count, sizeof *bucket->parts)) {
            free(joined);
            return -ENOMEM;
        }
    }
    free((*drafts)[i].places);
    (*drafts)[i] = (struct draft){joined, count};
    if (cca_array_reserve(&bucket->parts[i].members, bucket->parts[i].member_count,
                          sizeof table))
        return -ENOMEM;
    bucket->parts[i].members[bucket->parts[i].member_count++] = table;
    return 0;
}

/* Index of the largest unused table of a bucket; of equal tables, the first. */
static size_t largest_table(const struct mm_buckets *b, const struct mm_bucket *bucket,
                            const char *taken)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < bucket->table_count; i++) {
        if (!taken[i] &&
            (best == SIZE_MAX || b->tables[bucket->tables[i]].cell_count >
                                     b->tables[bucket->tables[best]].cell_count))
            best = i;
    }
    return best;
}

static int plan_bucket(struct mm_buckets *b, size_t at, double limit)
{
    struct mm_bucket *bucket = &b->buckets[at];
    char *taken = calloc(bucket->table_count + 1, 1);
    struct draft *drafts = NULL;
    int result = taken ? 0 : -ENOMEM;

    for (size_t i = 0; i < bucket->table_count && !result; i++) {
        size_t next = largest_table(b, bucket, taken);

        taken[next] = 1;
        result = place_table(b, at, bucket->tables[next], limit, &drafts);
    }
    for (size_t i = 0; i < bucket->part_count && !result; i++) {
        b->cells += cells_of(b, drafts[i].places, drafts[i].place_count);
        bucket->parts[i].message = b->table_count;
        if (!add_table(b, drafts[i].places, drafts[i].place_count))
            result = -ENOMEM;
    }
    b->exact &= bucket->part_count == 1;
    for (size_t i = 0; drafts && i < bucket->part_count; i++)
        free(drafts[i].places);
    free(drafts);
    free(taken);
    return result;
}

/* Add the tables of the problem itself: one for each slot and each link. A link's cells
 * are transposed if its slots are in the other order as places. */
static int take_tables(struct mm_buckets *b)
{
    const struct mm_network *n = b->network;
    size_t *place = malloc(b->count * sizeof *place);

    if (!place)
        return -ENOMEM;
    for (size_t i = 0; i < b->count; i++)
        place[b->order[i]] = i;
    for (size_t i = 0; i < b->count; i++)
        if (!add_table(b, &place[i], 1))
            goto fail;
    for (size_t i = 0; i < n->link_count; i++) {
        const struct mm_link *link = &n->links[i];
        size_t a = place[link->slots[0]], c = place[link->slots[1]];
        size_t places[2] = {a < c ? a : c, a < c ? c : a};
        struct mm_cost_table *table = add_table(b, places, 2);

        if (!table)
            goto fail;
        if (a < c) {
            table->cells = link->costs;
            continue;
        }
        table->own = malloc(table->cell_count * sizeof *table->own);
        if (!table->own)
            goto fail;
        table->cells = table->own;
        for (size_t k = 0; k < b->sizes[a]; k++)
            for (size_t m = 0; m < b->sizes[c]; m++)
                table->own[m * b->sizes[a] + k] = link->costs[k * b->sizes[c] + m];
    }
    free(place);
    return 0;
fail:
    free(place);
    return -ENOMEM;
}

struct mm_buckets *mm_buckets_plan(const struct mm_network *network, const size_t *order,
                                   double limit, double most)
{
    struct mm_buckets *b = calloc(1, sizeof *b);
    size_t widest = 1;

    if (!b)
        return NULL;
    b->network = network;
    b->order = order;
    b->count = network->slot_count;
    b->exact = 1;
    b->sizes = calloc(b->count, sizeof *b->sizes);
    b->buckets = calloc(b->count, sizeof *b->buckets);
    if (!b->sizes || !b->buckets)
        goto fail;
    for (size_t i = 0; i < b->count; i++) {
        b->sizes[i] = mm_network_size(network, order[i]);
        widest = b->sizes[i] > widest ? b->sizes[i] : widest;
    }
    b->scratch = malloc(widest * sizeof *b->scratch);
    if (!b->scratch || take_tables(b) < 0)
        goto fail;
    for (size_t at = b->count; at-- > 0 && b->cells <= most;)
        if (plan_bucket(b, at, limit) < 0)
            goto fail;
    return b;
fail:
    mm_buckets_free(b);
    return NULL;
}

void mm_buckets_free(struct mm_buckets *b)
{
    if (!b)
        return;
    for (size_t i = 0; b->buckets && i < b->count; i++) {
        for (size_t k = 0; k < b->buckets[i].part_count; k++)
            free(b->buckets[i].parts[k].members);
        free(b->buckets[i].parts);
        free(b->buckets[i].tables);
    }
    for (size_t i = 0; i < b->table_count; i++) {
        free(b->tables[i].places);
        free(b->tables[i].strides);
        free(b->tables[i].own);
    }
    free(b->buckets);
    free(b->tables);
    free(b->sizes);
    free(b->scratch);
    free(b);
}

void mm_buckets_extend(const struct mm_buckets *b, const size_t *chosen, size_t at,
                       int64_t before, int64_t *bounds)
{
    const struct mm_bucket *bucket = &b->buckets[at];

    for (size_t i = 0; i < bucket->part_count; i++) {
        const struct mm_cost_table *message = &b->tables[bucket->parts[i].message];
        const int64_t *cell = message->cells;

        for (size_t k = 0; k < message->place_count; k++)
            cell += message->strides[k] * chosen[message->places[k]];
        before -= *cell;
    }
    for (size_t a = 0; a < b->sizes[at]; a++)
        bounds[a] = before;
    for (size_t i = 0; i < bucket->table_count; i++) {
        const struct mm_cost_table *table = &b->tables[bucket->tables[i]];
        const int64_t *cells = table->cells;

        for (size_t k = 0; k + 1 < table->place_count; k++)
            cells += table->strides[k] * chosen[table->places[k]];
        for (size_t a = 0; a < b->sizes[at]; a++)
            bounds[a] += cells[a];
    }
}
