/* SPDX-License-Identifier: BSD-3-Clause */
/* fill.c: compute the messages of the buckets. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/choice/exact/buckets.h"

/* largest sum of magnitudes, so that int64_t does not overflow */
#define MOST_SUM ((int64_t)1 << 61)

struct sweep {
    const struct mm_buckets *b;
    const struct mm_cost_table *message;
    size_t member_count, size;
    const int64_t **cells; /* [member_count] current row of each member's cells */
    size_t *steps;  /* [member_count][place_count] distance in each member's cells between
                       successive choices at each place of the message */
    size_t *digits; /* [place_count] current choice at each place */
};

static void sweep_done(struct sweep *s)
{
    free(s->cells);
    free(s->steps);
    free(s->digits);
}

static int sweep_init(struct sweep *s, const struct mm_buckets *b, size_t at,
                      const struct mm_part_of_bucket *part)
{
    size_t width;

    *s = (struct sweep){.b = b,
                        .message = &b->tables[part->message],
                        .member_count = part->member_count,
                        .size = b->sizes[at]};
    width = s->message->place_count;
    s->cells = calloc(s->member_count, sizeof *s->cells);
    s->steps = calloc(s->member_count * width + 1, sizeof *s->steps);
    s->digits = calloc(width + 1, sizeof *s->digits);
    if (!s->cells || !s->steps || !s->digits) {
        sweep_done(s);
        return -ENOMEM;
    }
    for (size_t i = 0; i < s->member_count; i++) {
        const struct mm_cost_table *table = &b->tables[part->members[i]];

        s->cells[i] = table->cells;
        for (size_t k = 0; k < width; k++)
            for (size_t m = 0; m < table->place_count; m++)
                if (table->places[m] == s->message->places[k])
                    s->steps[i * width + k] = table->strides[m];
    }
    return 0;
}

/* Go to the next cell of the message; after the last cell, to the first. */
static void sweep_next(struct sweep *s)
{
    size_t width = s->message->place_count;

    for (size_t k = width; k-- > 0;) {
        size_t size = s->b->sizes[s->message->places[k]];

        if (++s->digits[k] < size) {
            for (size_t i = 0; i < s->member_count; i++)
                s->cells[i] += s->steps[i * width + k];
            return;
        }
        s->digits[k] = 0;
        for (size_t i = 0; i < s->member_count; i++)
            s->cells[i] -= s->steps[i * width + k] * (size - 1);
    }
}

/* Add up the costs of all members for each choice of the bucket's slot. */
static void sweep_sums(const struct sweep *s, const int64_t *start, int64_t *sums)
{
    if (start)
        memcpy(sums, start, s->size * sizeof *sums);
    else
        memset(sums, 0, s->size * sizeof *sums);
    for (size_t i = 0; i < s->member_count; i++) {
        const int64_t *cells = s->cells[i];

        for (size_t a = 0; a < s->size; a++)
            sums[a] += cells[a];
    }
}

/* The least sum of a part's tables for each choice of the bucket's slot. */
static int part_marginal(const struct mm_buckets *b, size_t at,
                         const struct mm_part_of_bucket *part, int64_t *least)
{
    struct sweep s;

    if (sweep_init(&s, b, at, part))
        return -ENOMEM;
    for (size_t a = 0; a < s.size; a++)
        least[a] = INT64_MAX;
    for (size_t cell = 0; cell < s.message->cell_count; cell++) {
        sweep_sums(&s, NULL, b->scratch);
        for (size_t a = 0; a < s.size; a++)
            least[a] = b->scratch[a] < least[a] ? b->scratch[a] : least[a];
        sweep_next(&s);
    }
    sweep_done(&s);
    return 0;
}

/* Compute the message of a part (its least costs); `shift` [size] is added to its sums,
 * NULL: 0. */
static int part_message(struct mm_buckets *b, size_t at,
                        const struct mm_part_of_bucket *part, const int64_t *shift)
{
    struct mm_cost_table *message = &b->tables[part->message];
    struct sweep s;

    if (!message->own)
        message->own = malloc(message->cell_count * sizeof *message->own);
    if (!message->own || sweep_init(&s, b, at, part))
        return -ENOMEM;
    message->cells = message->own;
    message->magnitude = 0;
    for (size_t cell = 0; cell < message->cell_count; cell++) {
        int64_t least;

        sweep_sums(&s, shift, b->scratch);
        least = b->scratch[0];
        for (size_t a = 1; a < s.size; a++)
            least = b->scratch[a] < least ? b->scratch[a] : least;
        message->own[cell] = least;
        if (llabs(least) > message->magnitude)
            message->magnitude = llabs(least);
        sweep_next(&s);
    }
    sweep_done(&s);
    return 0;
}

/* Compute shifts [part_count][size] that sum to 0 over the parts and make the least sums
 * of all parts agree. Returns 1; 0 if the sums of magnitudes would exceed `room`. */
static int make_shifts(const struct mm_bucket *bucket, size_t size, int64_t *shifts,
                       int64_t room)
{
    size_t parts = bucket->part_count;

    for (size_t a = 0; a < size; a++) {
        int64_t sum = 0, mean;

        for (size_t i = 0; i < parts; i++)
            sum += shifts[i * size + a];
        mean = sum / (int64_t)parts;
        for (size_t i = 0; i < parts; i++)
            shifts[i * size + a] = mean - shifts[i * size + a];
        shifts[a] += sum - mean * (int64_t)parts;
    }
    for (size_t i = 0; i < parts; i++) {
        int64_t most = 0;

        for (size_t a = 0; a < size; a++)
            most =
                llabs(shifts[i * size + a]) > most ? llabs(shifts[i * size + a]) : most;
        if (most > room)
            return 0;
        room -= most;
    }
    return 1;
}

/* Replace the tables of a bucket by messages; `*total` is the sum of the magnitudes of
 * all remaining tables. */
static int fill_bucket(struct mm_buckets *b, size_t at, int64_t *total)
{
    struct mm_bucket *bucket = &b->buckets[at];
    size_t size = b->sizes[at];
    int64_t *shifts = NULL;
    int result = 0, shifted = 0;

    if (bucket->part_count > 1) {
        shifts = malloc(bucket->part_count * size * sizeof *shifts);
        if (!shifts)
            return -ENOMEM;
        for (size_t i = 0; i < bucket->part_count && !result; i++)
            result = part_marginal(b, at, &bucket->parts[i], shifts + i * size);
        shifted = !result && make_shifts(bucket, size, shifts, MOST_SUM - *total);
    }
    for (size_t i = 0; i < bucket->part_count && !result; i++) {
        result =
            part_message(b, at, &bucket->parts[i], shifted ? shifts + i * size : NULL);
        *total += b->tables[bucket->parts[i].message].magnitude;
    }
    for (size_t i = 0; i < bucket->table_count; i++)
        *total -= b->tables[bucket->tables[i]].magnitude;
    free(shifts);
    return result;
}

static void set_magnitude(struct mm_cost_table *table)
{
    table->magnitude = 0;
    for (size_t i = 0; i < table->cell_count; i++)
        if (llabs(table->cells[i]) > table->magnitude)
            table->magnitude = llabs(table->cells[i]);
}

int mm_buckets_fill(struct mm_buckets *b, const int64_t *costs)
{
    const struct mm_network *n = b->network;
    int64_t total = 0;

    for (size_t i = 0; i < b->count + n->link_count; i++) {
        if (i < b->count)
            b->tables[i].cells = costs + n->first[i];
        set_magnitude(&b->tables[i]);
        total += b->tables[i].magnitude;
    }
    for (size_t at = b->count; at-- > 0;)
        if (fill_bucket(b, at, &total) < 0)
            return -ENOMEM;
    b->root = 0;
    for (size_t i = b->count + n->link_count; i < b->table_count; i++)
        if (!b->tables[i].place_count)
            b->root += b->tables[i].own[0];
    return 0;
}
