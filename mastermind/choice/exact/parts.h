/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the exact search share. */
#ifndef MASTERMIND_CHOICE_EXACT_PARTS_H
#define MASTERMIND_CHOICE_EXACT_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/choice/exact/buckets.h"
#include "mastermind/choice/exact/network.h"

/* --- best_list.c --------------------------------------------------------- */

struct mm_found {
    int64_t cost;
    double value;     /* value that breaks ties of cost, less is better; 0: no
                         tie-breaking */
    uint16_t *chosen; /* [slot_count] index of each slot's choice */
};

struct mm_best_list {
    size_t slot_count, most;
    struct mm_found *items; /* assignments, a heap with the worst first, until it is
                               sorted */
    size_t count, capacity;
    int64_t limit;          /* largest cost; costlier assignments are not kept */
    int ties;               /* true if `value` breaks ties of cost */
    struct mm_found *older; /* assignments found before the last restart */
    size_t older_count;
};

/* Make an empty list for at most `most` assignments. */
void mm_best_list_init(struct mm_best_list *list, size_t slot_count, size_t most,
                       int64_t limit);
void mm_best_list_done(struct mm_best_list *list);

/* Largest cost of an assignment that can enter the list; at equal cost only one with a
 * value below mm_best_list_value enters. */
int64_t mm_best_list_cutoff(const struct mm_best_list *list);
double mm_best_list_value(const struct mm_best_list *list);
/* Offer an assignment, `chosen` [slot_count]. Returns 0 or -ENOMEM. */
int mm_best_list_offer(struct mm_best_list *list, int64_t cost, double value,
                       const size_t *chosen);
/* Restart a search: earlier assignments may be offered again; only assignments better
 * than the worst of a full list enter. Returns 0 or -ENOMEM. */
int mm_best_list_restart(struct mm_best_list *list);
/* End the search: sort all assignments, also those from before restarts, by cost, value
 * and choices. Returns 0 or -ENOMEM. */
int mm_best_list_sort(struct mm_best_list *list);

/* --- branch.c ------------------------------------------------------------ */

struct mm_branch {
    const struct mm_buckets *buckets; /* tables of lower bounds, already filled */
    int64_t offset;                   /* cost added to all bounds */
    size_t quality;                   /* index of the quality that breaks ties;
                                         quality_count: none */
    int greater;    /* true if a greater value of the quality is better */
    uint64_t most;  /* largest number of nodes to open */
    uint64_t nodes; /* number of nodes opened so far */
    int64_t lower;  /* lower bound of the costs of assignments that were not searched;
                       INT64_MAX: all were searched */
};

/* Search all assignments that mm_best_list_cutoff allows, and offer assignments that meet
 * the bounds. Returns 1 if the search is complete; 0 if `most` nodes were opened before;
 * or -ENOMEM. Sets `nodes` and `lower`. */
int mm_branch_run(struct mm_branch *branch, struct mm_best_list *list);

/* --- multipliers.c ------------------------------------------------------- */

/* Bounds on qualities as a part of the costs (Lagrange multipliers).
 *
 * A bound is a row: a weight of each choice; the sum of the weights is at most `most`.
 * Sums are such rows; products of positive values become rows by their logarithms; "the
 * largest is at least x" becomes a row by counting. Then for any multiplier m >= 0 no
 * assignment within the bound costs less than the least of (cost + m weight) - m most. */

/* Set `costs` [choice_count] to the costs of the network plus m times the weights of its
 * rows, with the multipliers m >= 0 of a few trials that make the bounds highest, and
 * `*offset` to a number to be added to all bounds. `buckets` is filled with these costs.
 * Returns 0 or -ENOMEM. */
int mm_multipliers_find(struct mm_buckets *buckets, int64_t *costs, int64_t *offset);

/* --- order.c ------------------------------------------------------------- */

/* Order the slots such that eliminating them from the last to the first adds few links:
 * at each step take the slot that adds the fewest links, among these the one with the
 * smallest table, then the last one. `order` [slot_count]. Returns 0 or -ENOMEM. */
int mm_order_min_fill(const struct mm_network *network, size_t *order);

#endif
