/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of a choice share. */
#ifndef MASTERMIND_CHOICE_PARTS_H
#define MASTERMIND_CHOICE_PARTS_H

#include "mastermind/choice/choice.h"
#include "mastermind/choice/exact/answer.h"

/* --- tally.c ------------------------------------------------------------- */

/* Costs from the forecast of an assembly. */
struct mm_tallied {
    size_t *at;      /* [slot_count] index of the class in each slot */
    double total_ns; /* cost of the assembly; NaN: unknown, see `why` */
    double low_ns, high_ns;
    double *costs; /* [vertex_count + 1] cost of each method, 0: none, NaN: unknown; the
                      last one is for costs outside methods. NULL: no forecast */
    char why[400];
    size_t unknown; /* index of the first vertex (method) with unknown cost, or
                       vertex_count */
};

struct mm_cost_tally {
    struct mm_forecaster *forecaster;
    const char *const *text;          /* [axes] parameters of the request */
    const struct mm_open_slot *slots; /* [slot_count] open slots; borrowed */
    size_t slot_count, vertex_count;
    const char **own; /* [axes] parameters of the assembly to be forecast */
    struct mm_tallied **items;
    size_t count;
};

/* Make an empty cache of costs. Returns 0 or -ENOMEM; call mm_tally_done in any case. */
int mm_tally_init(struct mm_cost_tally *tally, const struct mm_open_asked *asked,
                  const struct mm_open_slot *slots, size_t slot_count);
void mm_tally_done(struct mm_cost_tally *tally);
/* The cost of an assembly `at` [slot_count], borrowed; NULL with `err`: -ENOMEM. */
const struct mm_tallied *mm_tally_cost(struct mm_cost_tally *tally, const size_t *at,
                                       struct cca_error *err);
/* Forecast an assembly. The result is new, or NULL with `err`. */
struct mm_forecast *mm_tally_forecast(struct mm_cost_tally *tally, const size_t *at,
                                      struct cca_error *err);

/* --- effects.c ----------------------------------------------------------- */

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
    unsigned char **touched; /* [slot_count][vertex_count + 1] true if the slot's class
                                changes the cost of the method */
    struct mm_pair_effect *pairs;
    size_t pair_count;
    size_t *group; /* [slot_count] group of directly or indirectly interacting slots:
                      the least of their indexes */
    size_t slot_count;
};

/* Find the effects; sets `known` and `why` of classes. Returns 0; with `err`: -ENODATA: a
 * part of the run has no cost with any class; -ENOMEM. Call mm_effects_done in any case.
 */
int mm_effects_find(struct mm_effects *effects, struct mm_open_choice *choice,
                    struct mm_cost_tally *tally, const struct mm_wiring *wiring,
                    struct cca_error *err);
void mm_effects_done(struct mm_effects *effects);
/* Number of combinations of known classes in the slots of a group; if more than `most`:
 * most + 1. `*slots` gets the number of slots. */
size_t mm_effects_ways(const struct mm_effects *effects,
                       const struct mm_open_choice *choice, size_t group, size_t most,
                       size_t *slots);

/* --- assembly_problem.c -------------------------------------------------- */

/* Three or more interacting slots get an additional joint slot, whose classes are all
 * combinations of theirs, each with its forecast; contradictory classes cost `forbidden`.
 * So costs are exact for any interaction. A group with too many combinations gets pair
 * couplings. */
struct mm_assembly_problem {
    struct mm_problem *problem;
    size_t *slot; /* [slot_count of the choice] index of each slot in the problem */
    double forbidden;
    size_t front; /* index of the quality that the query's front uses */
    size_t joint; /* largest number of slots of a group of interacting slots */
};

/* Build the problem. Returns 0; with `err`: -ENOENT: no class states the quality of a
 * requirement or a front; -EBADMSG: instances compose it by different rules; -ENOMEM.
 * Call mm_assembly_problem_done in any case. */
int mm_assembly_problem_init(struct mm_assembly_problem *p,
                             const struct mm_open_choice *choice,
                             const struct mm_open_asked *asked,
                             const struct mm_effects *effects,
                             struct mm_cost_tally *tally, struct cca_error *err);
void mm_assembly_problem_done(struct mm_assembly_problem *p);

/* --- open_slots.c -------------------------------------------------------- */

/* Add the open slots of a request to an empty choice. A class whose ports do not fit is
 * omitted with a note. Returns 0 or -ENOMEM. */
int mm_open_slots_find(struct mm_open_choice *choice, const struct mm_open_asked *asked);

#endif
