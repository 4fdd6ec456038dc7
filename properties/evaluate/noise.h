/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.h: severities of replicates: variants of a run that differ by its noise.
 *
 *   store ──▶ store in memory, with each replicate of a run as an experiment
 *                │  replicates of a run: composed of half of its batches (batches.h)
 *                │  low, high: messages and collectives at the ends of their intervals
 *                │  pooled: the mean run of all runs of one configuration
 *                ▼
 *          the same property, evaluated on all of them
 *
 * So the noise of any property can be computed, whatever its expression. A region without
 * batches of its own (the program, a rarely called method) varies with its callees: the
 * outermost contexts in it that have batches, if they are half of its time or more. A
 * column without batches is NULL in replicates: its noise is unknown. */
#ifndef PROPERTIES_EVALUATE_NOISE_H
#define PROPERTIES_EVALUATE_NOISE_H

#include "properties/confidence/batches.h"
#include "properties/evaluate/evaluate.h"

struct mm_noise;

/* Make replicates of the runs in `question`, and of its sequential run. Regions below
 * `least_share` of the basis get none. The store must outlive them. Returns 0; -EIO,
 * -ENOMEM. */
int mm_noise_new(struct mm_noise **noise, struct mm_store *store,
                 const struct mm_property_question *question, double least_share,
                 struct cca_error *err);
void mm_noise_free(struct mm_noise *noise);

/* Evidence for one answer, in the order of the answers. */
struct mm_answer_noise {
    /* [MM_REPLICATES] severity in each replicate, borrowed until the next call; NaN:
     * undefined. NULL: there are no batches */
    const double *replicates;
    /* blocks of batches of the answer's region; count 0: no batches */
    struct mm_blocks blocks;
    /* number of the random stream of the weights, as for mm_blocks_weight */
    size_t stream;
    /* number of units in the answer's run; for a set, in the run with most units */
    size_t units;
    double low, high; /* severity at the lower and upper ends of the estimates on which it
                       * depends; NaN: it depends on no samples */
    double pooled;    /* severity of the mean run; NaN: there is one run */
    double cost; /* half of the cost of measuring, in units of the severity: a bound of
                  * the severity's bias; 0: unknown */
    size_t same; /* index of the first answer to the same question from a run of the
                  * same configuration; its own index: there is no earlier one */
};

/* Evaluate `property` on the replicates. `all` has room for answers->count. Returns 0, or
 * an error of mm_property_evaluate. */
int mm_noise_ask(struct mm_answer_noise *all, struct mm_noise *noise,
                 const struct mm_property *property,
                 const struct mm_property_question *question,
                 const struct mm_property_answers *answers, struct cca_error *err);

#endif
