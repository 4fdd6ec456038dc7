/* SPDX-License-Identifier: BSD-3-Clause */
/* effects.h: what classes change, alone and in pairs, and which slots act on each other.
 */
#ifndef MASTERMIND_CHOICE_EFFECTS_H
#define MASTERMIND_CHOICE_EFFECTS_H

#include "mastermind/choice/tally.h"

/* Effects of two slots that do not add up. */
struct mm_pair_effect {
    size_t slots[2];
    double *costs; /* [classes][classes] row-major, NaN: not known */
};

struct mm_effects {
    size_t *base;   /* [slot_count] the assembly that effects are of */
    double base_ns; /* its cost */
    double **alone; /* [slot_count][classes] NaN: not known */
    unsigned char *
        *touched; /* [slot_count][vertex_count + 1] methods whose cost changes */
    struct mm_pair_effect *pairs;
    size_t pair_count;
    size_t *group; /* [slot_count] equal for slots that act on each other, also through
                      others: the least of them */
    size_t slot_count;
};

/* Find the effects; classes get `known` and `why`. 0; with `err`: -ENODATA a part of the
 * run has no cost with any class; -ENOMEM. Call mm_effects_done in any case. */
int mm_effects_find(struct mm_effects *effects, struct mm_open_choice *choice,
                    struct mm_tally *tally, const struct mm_wiring *wiring,
                    struct cca_error *err);
void mm_effects_done(struct mm_effects *effects);
/* Number of ways to fill the slots of a group by classes that are known; more than
 * `most`: most + 1. `*slots` gets their number. */
size_t mm_effects_ways(const struct mm_effects *effects,
                       const struct mm_open_choice *choice, size_t group, size_t most,
                       size_t *slots);

#endif
