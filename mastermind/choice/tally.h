/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h: the costs of assemblies; each is forecast once. */
#ifndef MASTERMIND_CHOICE_TALLY_H
#define MASTERMIND_CHOICE_TALLY_H

#include "mastermind/choice/choice.h"

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

struct mm_tally {
    struct mm_forecaster *forecaster;
    const char *const *text;          /* [axes] parameters of the request */
    const struct mm_open_slot *slots; /* [slot_count] open slots; borrowed */
    size_t slot_count, vertex_count;
    const char **own; /* [axes] parameters of the assembly to be forecast */
    struct mm_tallied **items;
    size_t count;
};

/* Make an empty cache of costs. Returns 0 or -ENOMEM; call mm_tally_done in any case. */
int mm_tally_init(struct mm_tally *tally, const struct mm_open_asked *asked,
                  const struct mm_open_slot *slots, size_t slot_count);
void mm_tally_done(struct mm_tally *tally);
/* The cost of an assembly `at` [slot_count], borrowed; NULL with `err`: -ENOMEM. */
const struct mm_tallied *mm_tally_cost(struct mm_tally *tally, const size_t *at,
                                       struct cca_error *err);
/* The forecast of an assembly, new. NULL with `err`. */
struct mm_forecast *mm_tally_forecast(struct mm_tally *tally, const size_t *at,
                                      struct cca_error *err);

#endif
