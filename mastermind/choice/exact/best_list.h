/* SPDX-License-Identifier: BSD-3-Clause */
/* best_list.h: the best assignments found so far. */
#ifndef MASTERMIND_CHOICE_EXACT_BEST_LIST_H
#define MASTERMIND_CHOICE_EXACT_BEST_LIST_H

#include <stddef.h>
#include <stdint.h>

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
    int ties;               /* 1: tie-breaking by value */
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
/* Offer an assignment, `chosen` [slot_count]. 0 or -ENOMEM. */
int mm_best_list_offer(struct mm_best_list *list, int64_t cost, double value,
                       const size_t *chosen);
/* Restart a search: earlier assignments may be offered again; only assignments better
 * than the worst of a full list enter. 0 or -ENOMEM. */
int mm_best_list_restart(struct mm_best_list *list);
/* End the search: sort all assignments, also those from before restarts, by cost, value
 * and choices. 0 or -ENOMEM. */
int mm_best_list_sort(struct mm_best_list *list);

#endif
