/* SPDX-License-Identifier: BSD-3-Clause */
/* effects.h: effects of classes, alone and in pairs, and the slots that interact. */
#ifndef MASTERMIND_CHOICE_EFFECTS_H
#define MASTERMIND_CHOICE_EFFECTS_H

#include "mastermind/choice/tally.h"

/* Effects of two slots that do not add up. */
struct mm_pair_effect {
    size_t slots[2];
    double *costs; /* [classes][classes] row-major, NaN: not known */
};

struct mm_effects {
    size_t *base;   /* [slot_count] base assembly of the effects */
    double base_ns; /* its cost */
    double **alone; /* [slot_count][classes] NaN: not known */
    unsigned char *
        *touched; /* [slot_count][vertex_count + 1] methods whose cost changes */
    struct mm_pair_effect *pairs;
    size_t pair_count;
    size_t *group; /* [slot_count] group of interacting slots, directly or through others:
                      the least of their indexes */
    size_t slot_count;
};

/* Find the effects; classes get `known` and `why`. 0; with `err`: -ENODATA a part of the
 * run has no cost with any class; -ENOMEM. Call mm_effects_done in any case. */
int mm_effects_find(struct mm_effects *effects, struct mm_open_choice *choice,
                    struct mm_tally *tally, const struct mm_wiring *wiring,
                    struct cca_error *err);
void mm_effects_done(struct mm_effects *effects);
/* Number of combinations of known classes in the slots of a group; if more than `most`:
 * most + 1. `*slots` gets the number of slots. */
size_t mm_effects_ways(const struct mm_effects *effects,
                       const struct mm_open_choice *choice, size_t group, size_t most,
                       size_t *slots);

#endif
