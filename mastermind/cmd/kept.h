/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.h: what of a run's invocations has no row, or is nowhere: every verb says it
 * alike. */
#ifndef MASTERMIND_CMD_KEPT_H
#define MASTERMIND_CMD_KEPT_H

#include "mastermind/cmd/cmd.h"

struct mm_kept {
    const struct mm_experiment *experiment;
    uint64_t rows;       /* invocations that rows say, and */
    uint64_t folded;     /* that aggregates say; of these, */
    uint64_t sampled;    /* with a row all the same */
    uint64_t other;      /* without values */
    uint64_t orphans;    /* calls whose caller was not kept */
    uint64_t clock_back; /* calls in which the clock went back, of rows */
    size_t bare;         /* methods in aggregates that have out-parameters */
    struct mm_losses losses;
};

/* What an experiment and its dual say (NULL: nothing of rows). 0 or a negative errno with
 * `err`. */
int mm_kept_read(struct mm_kept *kept, const struct mm_experiment *experiment,
                 const struct mm_dual *dual, struct cca_error *err);
/* A note for each kind of invocation that has no row, each beginning with `who`. 0 or
 * -ENOMEM. */
int mm_kept_note(struct mm_notes *notes, const char *who, const struct mm_kept *kept);
/* The same of what rows do not know: times, and the end of the run. */
int mm_kept_note_end(struct mm_notes *notes, const char *who, const struct mm_kept *kept);
/* The counts as members of a document. */
void mm_kept_put(json_t *document, const struct mm_kept *kept);
/* All notes of all experiments, beginning with their names. 0 or a negative errno with
 * `err`. */
int mm_kept_note_input(struct mm_notes *notes, const struct mm_input *input,
                       struct cca_error *err);

#endif
