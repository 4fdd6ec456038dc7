/* SPDX-License-Identifier: BSD-3-Clause */
/* buckets.h: lower bounds by mini-bucket elimination.
 *
 * The place of a slot is its position in the order of assignment, from 0. Each table
 * depends on the choices at a few places and belongs to the bucket of the last of them.
 * Buckets are eliminated from the last place to the first: the tables of a bucket are
 * added up in parts, such that the message of no part exceeds the limit. A message is the
 * minimum over the choices of the bucket's slot, a table that belongs to an earlier
 * bucket. With one part in each bucket the bound is exact. */
#ifndef MASTERMIND_CHOICE_EXACT_BUCKETS_H
#define MASTERMIND_CHOICE_EXACT_BUCKETS_H

#include "mastermind/choice/exact/network.h"

struct mm_cost_table {
    size_t *places; /* [place_count] places of the slots, ascending; the last one's
                       stride is 1 */
    size_t *strides;
    size_t place_count, cell_count;
    const int64_t *cells; /* cells of the table; borrowed, or `own` */
    int64_t *own;
    int64_t magnitude; /* largest magnitude of the cells */
};

/* Tables of a bucket that are added up together. */
struct mm_part_of_bucket {
    size_t *members; /* [member_count] indexes of the tables */
    size_t member_count;
    size_t message;
};

struct mm_bucket {
    size_t *tables; /* [table_count] indexes of this bucket's tables */
    size_t table_count;
    struct mm_part_of_bucket *parts;
    size_t part_count;
};

struct mm_buckets {
    const struct mm_network *network; /* costs of slots and links; borrowed */
    const size_t *order;              /* [count] slot at each place; borrowed */
    size_t count;
    size_t *sizes; /* [count] number of choices at each place */
    struct mm_bucket *buckets;
    struct mm_cost_table *tables; /* tables of the costs of slots, links, messages */
    size_t table_count;
    double cells;     /* number of cells of all messages; only a lower bound if above
                         `most` */
    int exact;        /* true if the bound is exact, because no bucket has two parts */
    int64_t root;     /* lower bound of the cost of all assignments, once filled */
    int64_t *scratch; /* scratch memory for the sums of one bucket */
};

/* Plan the buckets with messages of at most `limit` cells each, or the size of one slot
 * if that is more; stop if all messages together have more than `most`. The result is
 * new, or NULL: out of memory. */
struct mm_buckets *mm_buckets_plan(const struct mm_network *network, const size_t *order,
                                   double limit, double most);
void mm_buckets_free(struct mm_buckets *buckets);

/* Compute the messages with the costs of single choices `costs` [choice_count], borrowed
 * until the next fill. Sums remain within 2^62 if the sums of magnitudes of costs and
 * links are within 2^60. Returns 0 or -ENOMEM. */
int mm_buckets_fill(struct mm_buckets *buckets, const int64_t *costs);

/* Compute the bounds of all choices of place `at`, given the choices `chosen` [count] of
 * earlier places: `bounds` [sizes[at]]. `before` is the bound before the assignment of
 * this place. */
void mm_buckets_extend(const struct mm_buckets *buckets, const size_t *chosen, size_t at,
                       int64_t before, int64_t *bounds);

#endif
