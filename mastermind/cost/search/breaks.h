/* SPDX-License-Identifier: BSD-3-Clause */
/* breaks.h: search for breaks (hinges and jumps): sizes at which a cost begins to grow
 * faster, or steps up. */
#ifndef MASTERMIND_COST_SEARCH_BREAKS_H
#define MASTERMIND_COST_SEARCH_BREAKS_H

#include "mastermind/cost/search/judge.h"

/* Extend the candidates of `leads` by one more break, at positions also between the
 * sizes, and add the good ones to `list`. `next` gets the best extensions of each lead
 * even if they are not good enough, because a further break may improve them; NULL: not
 * wanted. Returns 0 or -ENOMEM. */
int mm_breaks_search(struct mm_bench *bench, const struct mm_shortlist *leads,
                     double max_power, struct mm_shortlist *list,
                     struct mm_shortlist *next);

#endif
