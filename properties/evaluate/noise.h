/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.h: what severities would be if a run had been a little different.
 *
 *   store ──▶ store in memory, each replicate of a run an experiment of its own
 *                │  replicates of a run alone: made of half of its batches (batches.h)
 *                │  low, high: messages and collectives at the ends of their estimates
 *                │  pooled: the mean run of all runs of one configuration
 *                ▼
 *          the same property, evaluated on all of them
 *
 * So noise is known of any property, whatever its expression. A region without batches of
 * its own (the program, a method called rarely) varies by what it calls: the outermost
 * contexts in it that have batches, where they are half of its time or more. A column of
 * which no batches are kept is NULL in replicates: nothing is known of its noise. */
#ifndef PROPERTIES_EVALUATE_NOISE_H
#define PROPERTIES_EVALUATE_NOISE_H

#include "properties/confidence/batches.h"
#include "properties/evaluate/evaluate.h"

struct mm_noise;

/* Replicates of the runs that `question` names, and of its sequential run. Regions below
 * `least_share` of the basis have none. The store must stay. 0; -EIO, -ENOMEM. */
int mm_noise_new(struct mm_noise **noise, struct mm_store *store,
                 const struct mm_property_question *question, double least_share,
                 struct cca_error *err);
void mm_noise_free(struct mm_noise *noise);

/* Of each answer, in the order of the answers. */
struct mm_answer_noise {
    const double *replicates; /* [MM_REPLICATES] severities, borrowed until the next
                                 question; NaN: undefined. NULL: no batches */
    struct mm_blocks blocks;  /* count 0: no batches */
    size_t stream;            /* of mm_blocks_weight */
    size_t units;             /* of its run; of a set, of the run with most */
    double low, high; /* severity at the ends of what it was estimated from; NaN: it
                         was not estimated from samples */
    double pooled;    /* severity of the mean run; NaN: one run */
    double cost;      /* half of what measuring took, as the severity is: a bound of its
                         bias; 0: unknown */
    size_t same;      /* the first answer to the same question of a run of the same
                         configuration; itself: there is none before */
};

/* Evaluate `property` on the replicates. `all` has place for answers->count. 0; as
 * mm_property_evaluate. */
int mm_noise_ask(struct mm_answer_noise *all, struct mm_noise *noise,
                 const struct mm_property *property,
                 const struct mm_property_question *question,
                 const struct mm_property_answers *answers, struct cca_error *err);

#endif
