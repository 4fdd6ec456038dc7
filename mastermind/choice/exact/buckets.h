/* SPDX-License-Identifier: BSD-3-Clause */
/* buckets.h: lower bounds by mini-bucket elimination.
 *
 * Slots have places: the slot at place 0 is assigned first. Each table depends on the
 * choices of a few places and lies in the bucket of the last of them. Buckets are
 * eliminated from the last place to the first: the tables of a bucket are added up in
 * parts, no part's message being larger than the limit, and the least over the bucket's
 * slot is a message, a table of an earlier bucket. With one part in each bucket the bound
 * is exact. */
#ifndef MASTERMIND_CHOICE_EXACT_BUCKETS_H
#define MASTERMIND_CHOICE_EXACT_BUCKETS_H

#include "mastermind/choice/exact/network.h"

struct mm_cost_table {
    size_t *places; /* [place_count] ascending; the last one's stride is 1 */
    size_t *strides;
    size_t place_count, cell_count;
    const int64_t *cells; /* borrowed, or `own` */
    int64_t *own;
    int64_t magnitude; /* of its cells, at most */
};

/* Tables of a bucket that are added up. */
struct mm_part_of_bucket {
    size_t *members; /* [member_count] */
    size_t member_count;
    size_t message;
};

struct mm_bucket {
    size_t *tables; /* [table_count] that lie in it */
    size_t table_count;
    struct mm_part_of_bucket *parts;
    size_t part_count;
};

struct mm_buckets {
    const struct mm_network *network; /* borrowed */
    const size_t *order;              /* [count] slot at each place; borrowed */
    size_t count;
    size_t *sizes; /* [count] choices at each place */
    struct mm_bucket *buckets;
    struct mm_cost_table *tables; /* costs of slots, links, messages */
    size_t table_count;
    double cells;     /* of all messages; beyond `most` where it is larger */
    int exact;        /* no bucket has two parts */
    int64_t root;     /* the bound, when filled */
    int64_t *scratch; /* of the sums of one bucket */
};

/* Plan the buckets with messages of at most `limit` cells each, or of one slot, where its
 * size is more, and stop where all have more than `most` together. New, or NULL: out of
 * memory. */
struct mm_buckets *mm_buckets_plan(const struct mm_network *network, const size_t *order,
                                   double limit, double most);
void mm_buckets_free(struct mm_buckets *buckets);

/* Compute the messages with `costs` [choice_count] of the choices alone, borrowed until
 * the next fill. Sums stay within 2^62 if those of the magnitudes of costs and links stay
 * within 2^60. 0 or -ENOMEM. */
int mm_buckets_fill(struct mm_buckets *buckets, const int64_t *costs);

/* The bounds of all choices of place `at` where `chosen` [count], by places, has those
 * before it: `bounds` [sizes[at]], given the bound `before` it was assigned. */
void mm_buckets_extend(const struct mm_buckets *buckets, const size_t *chosen, size_t at,
                       int64_t before, int64_t *bounds);

#endif
