/* SPDX-License-Identifier: BSD-3-Clause */
/* effects.h: effects of classes, alone and in pairs, and the slots that interact. */
#ifndef MASTERMIND_CHOICE_EFFECTS_H
#define MASTERMIND_CHOICE_EFFECTS_H

#include "mastermind/choice/tally.h"

/* The interaction of two slots whose effects do not add up. */
struct mm_pair_effect {
    size_t slots[2];
    double *costs; /* [classes][classes] cost of each pair of classes beyond their own
                      effects, row-major; NaN: unknown */
};

struct mm_effects {
    size_t *base;   /* [slot_count] index of each slot's class in the base assembly */
    double base_ns; /* cost of the base assembly */
    double **alone; /* [slot_count][classes] effect of each class alone; NaN: unknown */
    unsigned char **touched; /* [slot_count][vertex_count + 1] 1: the slot changes the
                                cost of the method */
    struct mm_pair_effect *pairs;
    size_t pair_count;
    size_t *group; /* [slot_count] group of directly or indirectly interacting slots:
                      the least of their indexes */
    size_t slot_count;
};

/* Find the effects; sets `known` and `why` of classes. 0; with `err`: -ENODATA: a part of
 * the run has no cost with any class; -ENOMEM. Call mm_effects_done in any case. */
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
